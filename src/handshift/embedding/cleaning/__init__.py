"""Which pictures are filed under the wrong writer: found by sub-centers, shown, left out, trained again."""
