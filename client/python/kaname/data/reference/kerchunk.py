# SPDX-License-Identifier: BSD-3-Clause
"""Where each piece of an HDF5 file lies, as Kerchunk's references of version 1: fsspec and xarray then read slices of
the file over HTTP as if it were Zarr (version 2).

https://fsspec.github.io/kerchunk/spec.html: a key is a name of Zarr's, its value JSON, `base64:` and bytes, or
[url, offset, length]. Contiguous arrays are cut along their slowest axes, so that a slice of these moves little more
than itself.
"""
from __future__ import annotations

import base64
import json
import math
import os
import pathlib
from typing import Any, Iterator

import numpy as np

from ...errors import Error
from ..fault.shapes import refuse

_INLINE = 1024  # bytes of an array that stand in the references themselves
_PIECE = 4096  # bytes that a piece of a contiguous array has, or more, where its axes allow it
_MOST_PIECES, _MOST_REFERENCES = 50_000, 2_000_000
_HIDDEN = ("DIMENSION_LIST", "REFERENCE_LIST", "CLASS", "NAME", "_Netcdf4Dimid", "_Netcdf4Coordinates", "_NCProperties",
           "_nc3_strict")
_DEFLATE, _SHUFFLE, _FLETCHER = 1, 2, 3


def references(path: str | os.PathLike[str], url: str) -> tuple[dict[str, Any], list[str]]:
    """Returns the references of a file at ``url`` and what they leave out. Raises InvalidArgument where a dataset is
    packed in a way that Zarr cannot undo, NotFound."""
    import h5py

    from ...plotting.self_contained import open_file

    path = pathlib.Path(path)
    notes: list[str] = []
    refs: dict[str, Any] = {}
    try:
        with open_file(path) as file:
            for name, item in _items(file, ""):
                if isinstance(item, h5py.Group):
                    refs[f"{name}.zgroup"] = _json({"zarr_format": 2})
                    refs[f"{name}.zattrs"] = _json(_attributes(item))
                elif _name_of(item).startswith("This is a netCDF dimension but not a netCDF variable"):
                    continue
                else:
                    _dataset(path.name, f"{name}", item, url, refs, notes)
                if len(refs) > _MOST_REFERENCES:
                    refuse(f"{path.name}: pieces", f"must be at most {_MOST_REFERENCES}")
    except FileNotFoundError:
        raise Error("NotFound", f"{path} is not there") from None
    except (OSError, KeyError, ValueError, TypeError, RuntimeError, UnicodeError, OverflowError, RecursionError, MemoryError,
            AttributeError, IndexError) as error:
        raise Error("InvalidArgument", f"{path}: must be a readable HDF5 file: {' '.join(str(error).split())[:200]}") from error
    return {"version": 1, "refs": refs}, notes


def _items(group: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    """Yields each group as ("a/b/", group) before its datasets as ("a/b/name", dataset)."""
    import h5py

    yield prefix, group
    for name, item in group.items():
        if isinstance(item, h5py.Group):
            yield from _items(item, f"{prefix}{name}/")
        elif isinstance(item, h5py.Dataset):
            yield f"{prefix}{name}", item


def _name_of(data: Any) -> str:
    """Returns the name of a dimension scale, which netCDF-4 makes of dimensions without values, too."""
    name = data.attrs.get("NAME", "") if "NAME" in data.attrs else ""
    return name.decode("utf-8", "replace") if isinstance(name, bytes) else str(name)


def _dataset(file: str, name: str, data: Any, url: str, refs: dict[str, Any], notes: list[str]) -> None:
    import h5py

    text = h5py.check_string_dtype(data.dtype)
    if data.dtype.kind not in "iufSb" and text is None:
        notes.append(f"{name}: left out, for its type {data.dtype} has none in Zarr")
        return
    attributes = {**_attributes(data), "_ARRAY_DIMENSIONS": _dimensions(data)}
    shape = data.shape
    layout = data.id.get_create_plist().get_layout()
    if text is not None and text.length is None or math.prod(shape) * data.dtype.itemsize <= _INLINE \
            or layout == h5py.h5d.COMPACT:
        values = np.asarray(data.asstr()[...] if text is not None else data[...])
        if text is not None:
            values = values.astype(str)  # UTF-32 of one length
            if values.dtype.itemsize == 0:
                values = values.astype("<U1")
        refs[f"{name}/.zarray"] = _zarray(values.dtype, shape, [max(1, n) for n in shape], None, [], None)
        if values.size:
            refs[f"{name}/{_key([0] * len(shape))}"] = "base64:" + base64.b64encode(
                np.ascontiguousarray(values).tobytes()).decode()
    elif layout == h5py.h5d.CONTIGUOUS:
        _contiguous(name, data, url, refs)
    else:
        _chunked(file, name, data, url, refs)
    refs[f"{name}/.zattrs"] = _json(attributes)


def _contiguous(name: str, data: Any, url: str, refs: dict[str, Any]) -> None:
    shape, size = data.shape, data.dtype.itemsize
    begin = data.id.get_offset()
    cut = 0  # axes of which a piece has one index
    pieces = 1
    while cut < len(shape) - 1 and math.prod(shape[cut + 1:]) * size >= _PIECE and pieces * shape[cut] <= _MOST_PIECES:
        pieces *= shape[cut]
        cut += 1
    chunk = [1] * cut + list(shape[cut:])
    if cut < len(shape) - 1:
        chunk[cut] = _together(shape[cut], math.prod(shape[cut + 1:]) * size, _MOST_PIECES // pieces)
        pieces *= shape[cut] // chunk[cut]
    refs[f"{name}/.zarray"] = _zarray(data.dtype, shape, chunk, None, [], _missing(data, begin is not None))
    if begin is None:
        return
    length = math.prod(chunk) * size
    parts = [n // c for n, c in zip(shape, chunk)]
    for number in range(pieces):
        index = [int(i) for i in np.unravel_index(number, parts)] if parts else []
        refs[f"{name}/{_key(index)}"] = [url, begin + number * length, length]


def _together(count: int, size: int, most: int) -> int:
    """Returns how many of ``count`` neighbours of ``size`` bytes make a piece: a divisor, for all pieces of Zarr have one
    size, of at most ``most`` pieces, and of those the nearest to _PIECE."""
    divisors = {d for k in range(1, math.isqrt(count) + 1) if count % k == 0 for d in (k, count // k) if count // d <= most}
    return min(divisors or {count}, key=lambda d: abs(math.log(d * size / _PIECE)))


def _chunked(file: str, name: str, data: Any, url: str, refs: dict[str, Any]) -> None:
    plist = data.id.get_create_plist()
    filters: list[dict[str, Any]] = []
    packed: dict[str, Any] | None = None
    for number in range(plist.get_nfilters()):
        code, _, values, _ = plist.get_filter(number)
        if code not in (_DEFLATE, _SHUFFLE, _FLETCHER):
            refuse(f"{file}: {name}", "must be packed by shuffle, deflate and fletcher32 alone", f"filter {code}")
        if code == _DEFLATE:
            filters.append({"id": "zlib", "level": int(values[0])})
        elif code == _SHUFFLE:
            filters.append({"id": "shuffle", "elementsize": data.dtype.itemsize})
        else:
            filters.append({"id": "fletcher32"})
    if filters and filters[-1]["id"] == "zlib":
        packed = filters.pop()
    count = data.id.get_num_chunks()
    if count > _MOST_REFERENCES:
        refuse(f"{file}: {name}", f"must have at most {_MOST_REFERENCES} chunks", count)
    for number in range(count):
        info = data.id.get_chunk_info(number)
        if info.filter_mask and plist.get_nfilters():
            refuse(f"{file}: {name}", "must have all chunks packed by the same filters", f"mask {info.filter_mask}")
        index = [o // c for o, c in zip(info.chunk_offset, data.chunks)]
        refs[f"{name}/{_key(index)}"] = [url, int(info.byte_offset), int(info.size)]
    whole = count == math.prod(-(-n // c) for n, c in zip(data.shape, data.chunks))
    refs[f"{name}/.zarray"] = _zarray(data.dtype, data.shape, data.chunks, packed, filters, _missing(data, whole))


def _missing(data: Any, whole: bool) -> Any:
    """Returns what stands where there is no piece. xarray takes it for missing, so it is null where all pieces are there
    and the file itself names none."""
    if "_FillValue" in data.attrs:
        return np.ravel(data.attrs["_FillValue"])[0]
    return None if whole else data.fillvalue


def _zarray(kind: Any, shape: Any, chunks: Any, packed: Any, filters: list[dict[str, Any]], missing: Any) -> str:
    if isinstance(missing, np.generic):
        missing = missing.item()
    if isinstance(missing, bytes):
        missing = base64.b64encode(missing).decode()
    if isinstance(missing, float) and not math.isfinite(missing):
        missing = "NaN" if math.isnan(missing) else "Infinity" if missing > 0 else "-Infinity"
    return _json({"zarr_format": 2, "shape": list(shape), "chunks": list(chunks), "dtype": np.dtype(kind).str,
                  "compressor": packed, "filters": filters or None, "fill_value": missing, "order": "C"})


def _key(index: list[int]) -> str:
    return ".".join(map(str, index)) or "0"


def _dimensions(data: Any) -> list[str]:
    import h5py

    names = []
    for axis in range(data.ndim):
        if data.ndim == 1 and h5py.h5ds.is_scale(data.id):
            names.append(data.name.rsplit("/", 1)[-1])
            continue
        scales = [scale.name for scale in data.dims[axis].values()]
        # Names of netCDF's dimensions count in their group; those without one are told apart by their size.
        names.append(scales[0].rsplit("/", 1)[-1] if scales and scales[0] else f"phony_dim_{data.shape[axis]}_{axis}")
    return names


def _attributes(item: Any) -> dict[str, Any]:
    made = {}
    for key in item.attrs:
        if key in _HIDDEN:
            continue
        try:
            value = item.attrs[key]
        except (OSError, TypeError):
            continue  # of a type that numpy lacks
        plain = _plain(value)
        if plain is not None:
            made[str(key)] = plain
    return made


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, str):
        return value
    array = np.asarray(value)
    if array.dtype.kind in "SU":
        array = np.char.decode(array, "utf-8", "replace") if array.dtype.kind == "S" else array
        return array.tolist()
    if array.dtype.kind == "O":
        return [_plain(v) for v in array.ravel()] if all(isinstance(v, (bytes, str)) for v in array.ravel()) else None
    if array.dtype.kind not in "iufb":
        return None
    return array.item() if array.size == 1 else array.tolist()


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))
