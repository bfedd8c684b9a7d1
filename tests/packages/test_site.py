# SPDX-License-Identifier: GPL-2.0-or-later
"""make site: the documentation as one set of pages."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

from test_make_install import make


def links(page: Path) -> set[str]:
    return {unquote(link) for link in re.findall(r'(?:href|src)="([^":#?]+)["#?]', page.read_text())}


def test_every_page_of_the_site_is_there_and_every_link_between_them_leads_somewhere(
        tmp_path: Path) -> None:
    make("site", build=tmp_path)
    site = tmp_path / "site"
    pages = [page for page in site.rglob("*.html") if page.name != "404.html"]
    assert {"index.html", "getting-started.html", "ofono-mcp.conf.5.html"} <= {page.name for page in pages}
    assert [(page.name, link) for page in pages for link in links(page)
            if not (page.parent / link).exists()] == []
    assert "opt-outs" in (site / "search" / "search_index.json").read_text()
