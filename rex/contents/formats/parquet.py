"""Parquet: compared column by column."""

from __future__ import annotations

from rex.contents.formats.tables import Table
from rex.contents.parts import Parts
from rex.contents.reading import Reading, Unreadable
from rex.extras import missing

_CELL_BYTES = 120


def read(data: bytes, reading: Reading) -> Parts:
    """The table in a file."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise missing("formats", "cannot read Parquet") from None
    try:
        pyarrow.set_cpu_count(1)
        file = pyarrow.parquet.ParquetFile(pyarrow.BufferReader(data))
        facts = file.metadata
        reading.take(_CELL_BYTES * facts.num_rows * facts.num_columns, facts.num_rows * facts.num_columns)
        reading.take(2 * sum(facts.row_group(at).total_byte_size for at in range(facts.num_row_groups)))
        columns = file.schema_arrow.names
        rows: list[tuple[object, ...]] = []
        for batch in file.iter_batches(1 << 14, use_threads=False):
            rows += zip(*(column.to_pylist() for column in batch.columns))
        return {"": Table(list(columns), rows)}
    except (pyarrow.ArrowException, OSError, ValueError, TypeError, MemoryError, OverflowError) as error:
        raise Unreadable(" ".join(str(error).split())[:200]) from None
