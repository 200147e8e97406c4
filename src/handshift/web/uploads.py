"""Uploaded files: their bytes within the limit, their names without folders."""

from __future__ import annotations

from pathlib import PurePosixPath

from fastapi import HTTPException, UploadFile


def read_upload(file: UploadFile, limit: int) -> bytes:
    """The content, or an answer of 413 beyond the limit and 400 for an empty file."""
    content = file.file.read(limit + 1)
    if len(content) > limit:
        raise HTTPException(413, f"{plain_file_name(file.filename)}: larger than {limit >> 20} MiB")
    if not content:
        raise HTTPException(400, f"{plain_file_name(file.filename)}: the file is empty")
    return content


def plain_file_name(name: str | None) -> str:
    """A file's own name without folders and unprintable letters."""
    last = PurePosixPath((name or "unnamed").replace("\\", "/")).name
    printable = "".join(letter for letter in last if letter.isprintable())
    return printable[:200] or "unnamed"
