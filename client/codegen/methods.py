"""Generates methods from OpenAPI operations."""

import re

from codegen.types import Schema, Types, class_name, statement

# Where the rule gives a name that says too little.
NAMES = {"list_sessions_all": "logins", "end_others_sessions_all": "end_other_logins"}


def singular(word: str) -> str:
    """`users` is the path of a user."""
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us")) else word


def plural(word: str) -> str:
    if word.endswith("y") and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "ch", "sh")) else "s")


class Method:
    """One operation: what it is called, what it takes, what it does."""

    def __init__(
        self, path: str, verb: str, told: Schema, known: set[tuple[str, str]], types: Types
    ):
        self.path, self.verb, self.told, self.types = path, verb, told, types
        self.segments, self.known = path.strip("/").split("/"), known
        # count_by adds to `meta`, which a list of resources does not have.
        self.asked = [
            each
            for each in told.get("parameters", ())
            if each["in"] == "query" and each["name"] != "count_by"
        ]
        self.answers = {code: each for code, each in told["responses"].items() if code != "default"}
        code = next((code for code in ("201", "200", "202") if code in self.answers), "")
        self.content = self.answers.get(code, {}).get("content", {})
        self.schema = self.content.get("application/json", {}).get("schema", {})
        self.lists = self.schema.get("$ref", "").rpartition("/")[2].startswith("Paginated")
        self.is_collection = (as_known(path) + "{}/", "get") in known

    # ------------------------------------------------------------ its name

    @property
    def name(self) -> str:
        """By its path and verb."""
        if (operation := self.told["operationId"]) in NAMES:
            return NAMES[operation]
        noun = self.noun
        if self.is_collection and (self.verb == "put" or self.lists):
            noun = plural(noun)
        said = {"put": "change_", "delete": "delete_"}
        if self.segments[-1].startswith("{"):
            said["get"] = "get_"
        return said.get(self.verb, "") + noun

    @property
    def noun(self) -> str:
        """The words of its path; of what stands right below a collection the last one alone."""
        words: list[str] = []
        for place, segment in enumerate(self.segments):
            if not segment.startswith("{"):
                one = as_known("/" + "/".join(self.segments[: place + 1]) + "/{}/")
                if place and not self.segments[place - 1].startswith("{"):
                    words.pop()
                any_verb = any((one, verb) in self.known for verb in ("get", "put"))
                words.append(singular(segment) if any_verb else segment)
        return re.sub(r"\W", "_", "_".join(words))

    # ------------------------------------------------------------ what it takes

    def address(self) -> tuple[list[str], str]:
        """The arguments that say where it is, and the expression of that URL."""
        above = 0  # segments of the innermost resource, whose URI says them all
        for end in range(1, len(self.segments) + 1):
            path = as_known("/" + "/".join(self.segments[:end]) + "/")
            if path.endswith("{}/") and (path, "get") in self.known:
                above = end
        rest = self.segments[above:]
        parts = [segment[1:-1] for segment in rest if segment.startswith("{")]
        path = "/".join("{}" if segment.startswith("{") else segment for segment in rest)
        path += "/" if self.path.endswith("/") else ""
        what = singular(self.segments[above - 2]).replace("-", "_") if above else ""
        if above and not rest:
            return [f"{what}: Ref"], what
        said = [f'"{path}"' if above else f'"/{path}"']
        said += [what or '""', *parts] if above or parts else []
        taken = [f"{what}: Ref"] if above else []
        return [*taken, *(f"{part}: object" for part in parts)], f"self._at({', '.join(said)})"

    def body(self) -> tuple[str, list[str]]:
        """The type of its fields, and those among them that are sent as `parameters`."""
        component = self.body_component
        if not component or "properties" not in self.types.schemas[component]:
            return ("Any" if component else ""), []
        told = self.types.schemas[component]
        inner = told["properties"].get("parameters", {}).get("properties", {})
        return f"Unpack[{self.types.fields(component, class_name(component))}]", list(inner)

    @property
    def body_component(self) -> str:
        content = self.told.get("requestBody", {}).get("content", {})
        schema = content.get("application/json", {}).get("schema", {})
        return str(schema.get("$ref", "")).rpartition("/")[2]

    def filters(self) -> tuple[str, list[str]]:
        """The type of what a list may be asked, and those arguments that are no filters."""
        names = [each["name"] for each in self.asked]
        fields: dict[str, str] = {}
        for each in self.asked:
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

    # ------------------------------------------------------------ what it does

    def lines(self) -> list[str]:
        """The method, and what belongs to it: a dry run, an upload."""
        where, url = self.address()
        sentence = self.told["summary"].rstrip(".")
        if self.verb == "delete":
            return method(self.name, where, "", "None", sentence, "self._client.delete", [url])
        if self.verb == "get":
            return self._reading(where, url, sentence)
        kind, parameters = self.body()
        taken = f"**fields: {kind}" if kind else ""
        rest = ["fields" if kind else "{}", *(f'"{name}"' for name in parameters)]
        if self.verb == "put":
            return method(self.name, where, taken, "None", sentence, "self._put", [url, *rest])
        answer = self._answer(self.schema)
        found = method(self.name, where, taken, answer, sentence, "self._post", [url, *rest])
        if any(each["name"] == "dry_run" for each in self.asked):
            dry = self._answer(self.answers["200"]["content"]["application/json"]["schema"])
            given = [f'{url} + "?dry_run=true"', *rest]
            words = f"{sentence}, to see what would come of it: nothing is made"
            found += method(f"try_{self.name}", where, taken, dry, words, "self._post", given)
        if any("X-Upload-Location" in each.get("headers", {}) for each in self.answers.values()):
            found += self._uploading(answer)
        return found

    def _uploading(self, answer: str) -> list[str]:
        component = self.body_component
        name = class_name(component).removesuffix("Request") + "Upload"
        kind = self.types.fields(component, name, required=False)
        where = ["file: LocalFile", "progress: Progress | None = None", 'idempotency_key: str = ""']
        given = [f'"{self.path}"', "file", "progress", "idempotency_key", "fields"]
        words = f"A new {self.noun} of a file, sent; it is called as the file where nothing is said"
        taken = f"**fields: Unpack[{kind}]"
        return method("upload", where, taken, answer, words, "self._upload", given)

    def _reading(self, where: list[str], url: str, sentence: str) -> list[str]:
        if self.lists:
            kind, plain = self.filters()
            page = self.types.schemas[self.schema["$ref"].rpartition("/")[2]]
            answer = f"Iterator[{self._answer(page['properties']['resources']['items'])}]"
            given = [url, "asked" if kind else "{}", *(f'"{name}"' for name in plain)]
            taken = f"**asked: {kind}" if kind else ""
            return method(self.name, where, taken, answer, sentence, "self._list", given)
        names = [each["name"] for each in self.asked if "[" not in each["name"]]
        where = [*where, *(f"{name}: Filter = None" for name in names)]
        given = [url, *(f"{name}={name}" for name in names)]
        if "application/json" in self.content:
            answer = self._answer(self.schema)
            return method(self.name, where, "", answer, sentence, "self._get", given)
        return method(self.name, where, "", "bytes", sentence, "self._read", given)

    def _answer(self, schema: Schema) -> str:
        return self.types.name(schema, sent=False) if schema else "None"


def as_known(path: str) -> str:
    """A path whatever its parameters are called."""
    return re.sub(r"\{\w+\}", "{}", path)


def method(
    name: str, where: list[str], taken: str, answer: str, sentence: str, call: str, given: list[str]
) -> list[str]:
    """The lines of a method; what has no default is given by its place."""
    places = [each for each in where if "=" not in each]
    named = [each for each in where if "=" in each]
    inner = ["self", *places, *["/"] * bool(places and taken), *["*"] * bool(named), *named]
    does = call if answer == "None" else f"return {call}"
    return [
        statement(f"    def {name}(", [*inner, *[taken] * bool(taken)], f") -> {answer}:"),
        f'        """{sentence}."""',
        statement(f"        {does}(", given, ")"),
    ]
