"""PAGE-XML, ALTO and TEI of a run: one file if the path ends in .xml, else a folder of one for each page."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from handshift.cli.destination import FileNames, check_file, check_folder
from handshift.core.atomic import WriteError
from handshift.page.hand_labels import HandsOnPage


class XmlForm(Enum):
    """The formats, by the suffix of a page's file in a folder."""

    PAGE_XML = ".xml"
    TEI = ".tei.xml"
    ALTO = ".alto.xml"


@dataclass(slots=True)
class XmlOutput:
    """Where the words and hands of pages are written as XML."""

    path: Path
    form: XmlForm
    _pages: list[HandsOnPage] = field(default_factory=list)
    _names: FileNames = field(default_factory=FileNames)

    @property
    def is_file(self) -> bool:
        """Whether all pages go into one file."""
        return self.path.suffix.lower() == ".xml"

    @property
    def setting(self) -> list[str]:
        """What the results of a run depend on."""
        return [self.form.value, str(self.path)]

    def check(self) -> None:
        """Refuse a path that cannot be written to."""
        if self.is_file:
            check_file(self.path)
        else:
            check_folder(self.path)

    def add(self, page: HandsOnPage) -> None:
        """Write one page; the pages of a TEI file are kept without their pixels until `close`.

        Raises:
            WriteError: A second page was to go into one PAGE-XML or ALTO file, which holds one page.
        """
        if not self.is_file:
            name = self._names.name(page.page.source, page.page.number, self.form.value)
            self._write([page], self.path / name)
            return
        if self.form is not XmlForm.TEI and self._pages:
            name = "PAGE-XML" if self.form is XmlForm.PAGE_XML else "ALTO"
            raise WriteError(f"{self.path}: {name} holds one page; give a folder for several")
        self._pages.append(HandsOnPage(page.page.without_pixels(), page.hands, page.certainty))
        if self.form is not XmlForm.TEI:
            self._write(self._pages, self.path)

    def skip(self, source: Path, number: int) -> None:
        """Leave a page out whose file an earlier attempt has written; its name stays taken."""
        self._names.name(source, number, self.form.value)

    def close(self) -> None:
        """Write a TEI file of all pages."""
        if self.is_file and self.form is XmlForm.TEI and self._pages:
            self._write(self._pages, self.path)

    def _write(self, pages: list[HandsOnPage], path: Path) -> None:
        check_file(path)
        if self.form is XmlForm.TEI:
            from handshift.page.tei_writer import write_tei

            write_tei(pages, path)
        elif self.form is XmlForm.ALTO:
            from handshift.page.alto_writer import write_alto

            write_alto(pages[0], path)
        else:
            from handshift.page.page_xml_writer import write_page_xml

            write_page_xml(pages[0], path)


def xml_outputs(page_xml: Path | None, tei: Path | None, alto: Path | None = None) -> list[XmlOutput]:
    """The outputs that `--page-xml`, `--tei` and `--alto` ask for."""
    given = ((page_xml, XmlForm.PAGE_XML), (tei, XmlForm.TEI), (alto, XmlForm.ALTO))
    return [XmlOutput(path, form) for path, form in given if path is not None]
