"""A folder of handwriting is recognised for what it is."""

from pathlib import Path

import pytest

from handshift.core.errors import CorpusError
from handshift.corpus.layouts import read_corpus
from handshift.corpus.manifest import Sample


def touch(root: Path, *names: str) -> Path:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(b"")
    return root


def manifest(root: Path, content: str) -> Path:
    (root / "manifest.csv").write_text(content, encoding="utf-8")
    return root


def test_csafe_by_its_manifest_and_by_its_names_is_the_same(tmp_path: Path) -> None:
    touch(tmp_path, "w0001/w0001_s01_pLND_r02.png", "w0002/w0002_s03_pWOZ_r01.png")
    by_name = read_corpus(tmp_path)
    manifest(
        tmp_path,
        "path,writer,session,prompt,repetition\n"
        "w0001/w0001_s01_pLND_r02.png,w0001,1,LND,2\nw0002/w0002_s03_pWOZ_r01.png,w0002,3,WOZ,1\n",
    )
    by_manifest = read_corpus(tmp_path)
    assert by_name == by_manifest
    first = tmp_path / "w0001/w0001_s01_pLND_r02.png"
    assert by_name.samples[0] == Sample(first, "w0001", 1, "LND", 2)


def test_words_with_their_table(tmp_path: Path) -> None:
    touch(tmp_path, "7/dear_0.png", "7/sir_17.png")
    (tmp_path / "naver_ocr.csv").write_text(
        "image_path,label,detected_word,repetition\n/data/x/7/dear_0.png,7,dear,0\nC:\\x\\7\\sir_17.png,7,,17\n"
    )
    samples = read_corpus(tmp_path).samples
    assert samples[0] == Sample(tmp_path / "7/dear_0.png", "7", 0, None, 0, "dear", "7_r00")
    assert samples[1] == Sample(tmp_path / "7/sir_17.png", "7", 1, None, 17, None, "7_r17")


def test_words_with_text_in_a_manifest_of_two_columns_more(tmp_path: Path) -> None:
    touch(tmp_path, "writer1/1_0.png")
    manifest(tmp_path, "\ufeffpath,writer,text,colour\nwriter1/1_0.png,writer1,Königshain,blue\n")
    assert read_corpus(tmp_path).samples[0].text == "Königshain"
    assert read_corpus(tmp_path / "manifest.csv") == read_corpus(tmp_path)


def test_plain_folders_of_writers(tmp_path: Path) -> None:
    touch(tmp_path, "anna/10.png", "anna/2.png", "bert/box/1.jpg", ".trash/x.png", "anna/notes.txt")
    corpus = read_corpus(tmp_path)
    assert [(sample.writer, sample.path.name) for sample in corpus.samples] == [
        ("anna", "2.png"), ("anna", "10.png"), ("bert", "1.jpg"),
    ]  # fmt: skip
    assert corpus.writers == {"anna": 2, "bert": 1}
    assert corpus.written_by(["bert"]).writers == {"bert": 1}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("path,hand\na.png,x\n", "lacks the column 'writer'"),
        ("", "lacks the column 'path'"),
        ("path,writer\n", "holds no samples"),
        ("path,writer\na.png,\n", "line 2: not a row of a manifest .writer: "),
        ("path,writer\na.png\n", "line 2: not a row of a manifest .writer: "),
        ("path,writer,session\na.png,x,first\n", "line 2: not a row of a manifest .session: .*valid integer"),
        ("path,writer\na.png,x\na.png,x\n", "a.png is listed more than once"),
        ("path,writer\nb.png,x\n", "line 2: 'b.png' is not there"),
        ("path,writer\nbox,x\n", "line 2: 'box' is not there"),
        ("path,writer\n../a.png,x\n", "leads out of the corpus"),
        ("path,writer\n/etc/passwd,x\n", "leads out of the corpus"),
        ("path,writer\nC:/a.png,x\n", "leads out of the corpus"),
        ("path,writer\n,x\n", "leads out of the corpus"),
    ],
)
def test_a_bad_manifest_is_refused_where_it_is_bad(tmp_path: Path, content: str, message: str) -> None:
    touch(tmp_path, "a.png", "box/c.png")
    with pytest.raises(CorpusError, match=message) as caught:
        read_corpus(manifest(tmp_path, content))
    assert str(tmp_path) in str(caught.value)


def test_a_manifest_in_another_encoding_is_refused(tmp_path: Path) -> None:
    (tmp_path / "manifest.csv").write_bytes("path,writer\nä.png,x\n".encode("latin-1"))
    with pytest.raises(CorpusError, match="not a CSV file in UTF-8"):
        read_corpus(tmp_path)


@pytest.mark.parametrize("link", ["away.png", "folder/a.png"])
def test_a_link_out_of_the_corpus_is_refused(tmp_path: Path, link: str) -> None:
    outside = touch(tmp_path / "outside", "a.png")
    corpus = touch(tmp_path / "corpus", "b.png")
    (corpus / "away.png").symlink_to(outside / "a.png")
    (corpus / "folder").symlink_to(outside)
    with pytest.raises(CorpusError, match="link out of the corpus"):
        read_corpus(manifest(corpus, f"path,writer\nb.png,x\n{link},x\n"))


def test_what_is_no_corpus_is_told_what_one_looks_like(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="columns path and writer"):
        read_corpus(touch(tmp_path, "loose.png"))
    with pytest.raises(CorpusError, match="no such folder"):
        read_corpus(tmp_path / "nowhere")


def test_one_odd_name_among_csafe_pages_is_named(tmp_path: Path) -> None:
    touch(tmp_path, "w0001/w0001_s01_pLND_r02.png", "w0001/copy of page.png")
    with pytest.raises(CorpusError, match=r"copy of page\.png: not named like the CSAFE pages"):
        read_corpus(tmp_path)
