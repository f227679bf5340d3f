"""Generates methods from OpenAPI operations."""

import re

from codegen.types import Schema, Types, class_name, statement

# Exceptions from the rule of names.
NAMES = {"list_sessions_all": "logins", "end_others_sessions_all": "end_other_logins"}


def singular(word: str) -> str:
    """`users` is the path of a user."""
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us")) else word


def plural(word: str) -> str:
    if word.endswith("y") and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "ch", "sh")) else "s")


class Method:
    """Python method of one operation."""

    def __init__(
        self,
        path: str,
        verb: str,
        operation: Schema,
        operations: set[tuple[str, str]],
        types: Types,
    ):
        self.path, self.verb, self.operation, self.types = path, verb, operation, types
        self.segments, self.operations = path.strip("/").split("/"), operations
        # count_by adds to `meta`, which a list of resources does not have.
        self.query_parameters = [
            each
            for each in operation.get("parameters", ())
            if each["in"] == "query" and each["name"] != "count_by"
        ]
        self.responses = {
            code: each for code, each in operation["responses"].items() if code != "default"
        }
        code = next((code for code in ("201", "200", "202") if code in self.responses), "")
        self.content = self.responses.get(code, {}).get("content", {})
        self.schema = self.content.get("application/json", {}).get("schema", {})
        self.lists = self.schema.get("$ref", "").rpartition("/")[2].startswith("Paginated")
        self.is_collection = (without_names(path) + "{}/", "get") in operations

    # Name

    @property
    def name(self) -> str:
        """Return the name of the method, from path and verb."""
        if (operation_id := self.operation["operationId"]) in NAMES:
            return NAMES[operation_id]
        noun = self.noun
        if self.is_collection and (self.verb == "put" or self.lists):
            noun = plural(noun)
        prefixes = {"put": "change_", "delete": "delete_"}
        if self.segments[-1].startswith("{"):
            prefixes["get"] = "get_"
        return prefixes.get(self.verb, "") + noun

    @property
    def noun(self) -> str:
        """Return the words of the path; right below a collection only the last one."""
        words: list[str] = []
        for place, segment in enumerate(self.segments):
            if not segment.startswith("{"):
                one = without_names("/" + "/".join(self.segments[: place + 1]) + "/{}/")
                if place and not self.segments[place - 1].startswith("{"):
                    words.pop()
                any_verb = any((one, verb) in self.operations for verb in ("get", "put"))
                words.append(singular(segment) if any_verb else segment)
        return re.sub(r"\W", "_", "_".join(words))

    # Arguments

    def address(self) -> tuple[list[str], str]:
        """Return the positional arguments of the URL, and the expression that builds it."""
        above = 0  # segments of the innermost resource, which its URI contains
        for end in range(1, len(self.segments) + 1):
            path = without_names("/" + "/".join(self.segments[:end]) + "/")
            if path.endswith("{}/") and (path, "get") in self.operations:
                above = end
        rest = self.segments[above:]
        parts = [segment[1:-1] for segment in rest if segment.startswith("{")]
        path = "/".join("{}" if segment.startswith("{") else segment for segment in rest)
        path += "/" if self.path.endswith("/") else ""
        what = singular(self.segments[above - 2]).replace("-", "_") if above else ""
        if above and not rest:
            return [f"{what}: Ref"], what
        arguments = [f'"{path}"' if above else f'"/{path}"']
        arguments += [what or '""', *parts] if above or parts else []
        keywords = [f"{what}: Ref"] if above else []
        return [
            *keywords,
            *(f"{part}: object" for part in parts),
        ], f"self._at({', '.join(arguments)})"

    def body(self) -> tuple[str, list[str]]:
        """Return the type of the body, and the fields that are sent as `parameters`."""
        component = self.body_component
        if not component or "properties" not in self.types.schemas[component]:
            return ("Any" if component else ""), []
        schema = self.types.schemas[component]
        inner = schema["properties"].get("parameters", {}).get("properties", {})
        return f"Unpack[{self.types.fields(component, class_name(component))}]", list(inner)

    @property
    def body_component(self) -> str:
        content = self.operation.get("requestBody", {}).get("content", {})
        schema = content.get("application/json", {}).get("schema", {})
        return str(schema.get("$ref", "")).rpartition("/")[2]

    def filters(self) -> tuple[str, list[str]]:
        """Return the type of the query arguments of a list, and those that are no filters."""
        names = [each["name"] for each in self.query_parameters]
        fields: dict[str, str] = {}
        for each in self.query_parameters:
            if column := re.fullmatch(r"filter\[([\w.]+)\]", each["name"]):
                ordered = "compare" in each.get("description", "")
                for ending in ("", "_from", "_to") if ordered else ("",):
                    fields[column[1] + ending] = "Filter"
        plain = [name for name in names if "[" not in name and name not in ("sort", *fields)]
        fields |= dict.fromkeys(plain, "Filter")
        fields |= {"search": "dict[str, str]"} if any("search[" in name for name in names) else {}
        fields |= {"sort": "str"} if "sort" in names else {}
        fields |= {"limit": "int"} if "page[limit]" in names else {}
        if not fields:
            return "", []
        names = [self.segments[-1].replace("-", "_"), self.name]  # alike below several kinds
        short, long = ("".join(w.title() for w in each.split("_")) + "Filters" for each in names)
        name = self.types.dictionary(long if self.is_collection else short, fields, set())
        return f"Unpack[{name}]", plain

    # Body

    def lines(self) -> list[str]:
        """Return the source of the method, and of its dry run and upload."""
        where, url = self.address()
        sentence = self.operation["summary"].rstrip(".")
        if self.verb == "delete":
            return method(self.name, where, "", "None", sentence, "self._client.delete", [url])
        if self.verb == "get":
            return self._read_lines(where, url, sentence)
        kind, parameters = self.body()
        keywords = f"**fields: {kind}" if kind else ""
        rest = ["fields" if kind else "{}", *(f'"{name}"' for name in parameters)]
        if self.verb == "put":
            return method(self.name, where, keywords, "None", sentence, "self._put", [url, *rest])
        result = self._result(self.schema)
        lines = method(self.name, where, keywords, result, sentence, "self._post", [url, *rest])
        if any(each["name"] == "dry_run" for each in self.query_parameters):
            dry = self._result(self.responses["200"]["content"]["application/json"]["schema"])
            arguments = [f'{url} + "?dry_run=true"', *rest]
            words = f"{sentence}, as a dry run: nothing is created"
            lines += method(
                f"try_{self.name}", where, keywords, dry, words, "self._post", arguments
            )
        if any("X-Upload-Location" in each.get("headers", {}) for each in self.responses.values()):
            lines += self._upload_lines(result)
        return lines

    def _upload_lines(self, result: str) -> list[str]:
        component = self.body_component
        name = class_name(component).removesuffix("Request") + "Upload"
        kind = self.types.fields(component, name, required=False)
        where = ["file: LocalFile", "progress: Progress | None = None", 'idempotency_key: str = ""']
        arguments = [f'"{self.path}"', "file", "progress", "idempotency_key", "fields"]
        words = f"Create a new {self.noun} and upload its file; the name defaults to the file's"
        keywords = f"**fields: Unpack[{kind}]"
        return method("upload", where, keywords, result, words, "self._upload", arguments)

    def _read_lines(self, where: list[str], url: str, sentence: str) -> list[str]:
        if self.lists:
            kind, plain = self.filters()
            page = self.types.schemas[self.schema["$ref"].rpartition("/")[2]]
            result = f"Iterator[{self._result(page['properties']['resources']['items'])}]"
            arguments = [url, "filters" if kind else "{}", *(f'"{name}"' for name in plain)]
            keywords = f"**filters: {kind}" if kind else ""
            return method(self.name, where, keywords, result, sentence, "self._list", arguments)
        names = [each["name"] for each in self.query_parameters if "[" not in each["name"]]
        where = [*where, *(f"{name}: Filter = None" for name in names)]
        arguments = [url, *(f"{name}={name}" for name in names)]
        if "application/json" in self.content:
            result = self._result(self.schema)
            return method(self.name, where, "", result, sentence, "self._get", arguments)
        return method(self.name, where, "", "bytes", sentence, "self._read", arguments)

    def _result(self, schema: Schema) -> str:
        return self.types.name(schema, sent=False) if schema else "None"


def without_names(path: str) -> str:
    """Return a path without the names of its parameters."""
    return re.sub(r"\{\w+\}", "{}", path)


def method(
    name: str,
    where: list[str],
    keywords: str,
    result: str,
    sentence: str,
    call: str,
    arguments: list[str],
) -> list[str]:
    """Return the lines of a method; arguments without a default are positional."""
    places = [each for each in where if "=" not in each]
    named = [each for each in where if "=" in each]
    inner = ["self", *places, *["/"] * bool(places and keywords), *["*"] * bool(named), *named]
    does = call if result == "None" else f"return {call}"
    return [
        statement(f"    def {name}(", [*inner, *[keywords] * bool(keywords)], f") -> {result}:"),
        f'        """{sentence}."""',
        statement(f"        {does}(", arguments, ")"),
    ]
