"""Pages of the documentation: titles as in the index, plain headings, short paragraphs."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
INDEX = DOCS / "README.md"
# One page of links for its own folder; the index names it, not what is in it.
DECISIONS = DOCS / "decisions" / "README.md"
PAGES = sorted(set(DOCS.rglob("*.md")) - {INDEX})
READ = [ROOT / "README.md", INDEX, *PAGES]
MAX_CHARACTERS = 600  # six lines of 100 columns
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
INTERROGATIVE = re.compile(r"^#+ ((?:What|Who|Whose|How|Which|Why)\b(?!-to).*)$", re.MULTILINE)
NO_PROSE = ("#", "|", "![", "<", "```")


def title(page: Path) -> str:
    return page.read_text().split("\n")[0].removeprefix("# ")


def entries(index: Path) -> dict[Path, str]:
    """The text of each link to a whole page in a table row or a numbered list."""
    links = re.findall(r"^(?:\| |\d+\. )\[([^]]+)\]\(([^)#]+\.md)\)", index.read_text(), re.M)
    # The steps of the tutorial come first, and may be called otherwise than their pages.
    return {(index.parent / path).resolve(): text for text, path in links}


def paragraphs(page: Path) -> list[str]:
    """The prose of a page: list items one by one; no headings, tables or code."""
    text = FENCED.sub("\n\n", page.read_text())
    parts = re.split(r"\n\s*\n|\n(?=\s*(?:[*-]|\d+\.) )", text)
    return [part.strip() for part in parts if not part.strip().startswith(("|", "!["))]


def named(found: dict[Path, object]) -> dict[str, object]:
    return {str(page.relative_to(ROOT)): what for page, what in found.items() if what}


def test_each_page_is_in_the_index_by_its_title():
    decisions = [page for page in PAGES if page.parent == DECISIONS.parent and page != DECISIONS]
    others = [page for page in PAGES if page not in decisions]
    expected = {page: title(page) for page in [ROOT / "README.md", ROOT / "CHANGELOG.md", *others]}

    assert entries(INDEX) == expected, "list each page by its title in docs/README.md"
    numbers = {page: re.sub(r"^\d+\. ", "", title(page)) for page in decisions}
    assert entries(DECISIONS) == numbers, (
        "list each decision by its title in docs/decisions/README.md"
    )


def test_each_page_begins_with_a_sentence():
    first = {page: page.read_text().split("\n\n")[1].strip() for page in [INDEX, *PAGES]}

    odd = {page: text.startswith(NO_PROSE) or "." not in text for page, text in first.items()}

    assert named(odd) == {}, "say below the title what the page is for"


def test_headings_are_nouns_or_tasks():
    odd = {page: INTERROGATIVE.findall(FENCED.sub("", page.read_text())) for page in READ}

    assert named(odd) == {}, "name the thing or the task, such as Retention or Send webhooks"


def test_paragraphs_have_at_most_six_lines():
    long = {page: [t[:60] for t in paragraphs(page) if len(t) > MAX_CHARACTERS] for page in READ}

    assert named(long) == {}, (
        f"split what has more than {MAX_CHARACTERS} characters, or use a table"
    )
