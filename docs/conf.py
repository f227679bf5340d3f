"""Sphinx configuration of the documentation site, whose navigation is read from docs/README.md."""

import re
from pathlib import Path

project = "Manufacturing platform"
author = copyright = ""
extensions = ["myst_parser"]
root_doc = "docs/README"
html_title = project
html_theme = "furo"
html_theme_options = {"light_css_variables": {"font-stack": "sans-serif"}}
html_show_copyright = html_show_sphinx = html_copy_source = False
html_additional_pages = {"index": "redirect.html"}
templates_path = ["site"]
# As GitHub names the anchors of headings; a link to one that is missing fails the build.
myst_heading_anchors = 6
# Shell with answers, and JSON with "..." in it, are shown without colours.
suppress_warnings = ["misc.highlighting_failure"]

PAGE_LINK = re.compile(r"\]\(([^)#:]+\.md)\)")


def add_navigation(app, docname: str, source: list[str]) -> None:
    """Append a hidden toctree for each section of an index page, from the links in it."""
    if Path(docname).name != "README" or docname == "README":
        return
    folder = Path(app.srcdir, docname).parent
    trees = []
    for section in re.split(r"^## ", source[0], flags=re.MULTILINE):
        title, _, text = section.partition("\n")
        paths = [(folder / link).resolve() for link in PAGE_LINK.findall(text)]
        pages = [f"/{path.relative_to(app.srcdir).with_suffix('')}" for path in paths]
        if pages:
            caption = [f":caption: {title}"] if docname == root_doc else []
            trees += ["", "```{toctree}", ":hidden:", *caption, "", *dict.fromkeys(pages), "```"]
    source[0] += "\n".join(trees) + "\n"


def setup(app) -> None:
    app.connect("source-read", add_navigation)
