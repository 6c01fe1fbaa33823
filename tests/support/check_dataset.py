# SPDX-License-Identifier: BSD-3-Clause
"""Looks at every group and variable of datasets as netCDF readers do.

Usage: check_dataset.py [--all] [--page=waves.md]... FILE...

Every variable must stand in docs/user/dataset.md, or other pages beside it, with its dimensions and
units; with --all the files together must have every variable of those pages. Every axis must be a named dimension of its group or of one around it, every number must have
units, everything a long_name, and a group whose variables change in time an epoch of its own.
xarray must open every group. Exit code 1 names all that is wrong, 77: h5py is not installed.
"""
import pathlib
import re
import sys

try:
    import h5py
except ImportError as error:
    print(error)
    sys.exit(77)

PAGE = pathlib.Path(__file__).parents[2] / "docs/user/dataset.md"
BARE = "This is a netCDF dimension but not a netCDF variable."


def page_rows(page):
    """{(group, variable): (choices of dimensions, choices of units)}; <...> of a group is *."""
    rows = {}
    group = None
    for line in page.read_text(encoding="utf-8").splitlines():
        if re.match(r"##+ ", line):
            heading = re.match(r"##+ (?:Group `(.*)`|(Root))$", line)
            group = heading and re.sub(r"<\w+>", "*", heading.group(1) or "")
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if group is not None and len(cells) == 4 and cells[0].startswith("`"):
            dims = [tuple(d.strip() for d in choice.split(",") if d.strip())
                    for choice in cells[1].split(" or ")]
            for name in cells[0].strip("`").split("`, `"):
                rows[group, name] = dims, cells[2].split(" or ")
    return rows


def place(item):
    """Group of a variable as the page has it, and its name."""
    group, _, name = item.name.strip("/").rpartition("/")
    group = re.sub(r"^reduced_model/\d+$", "reduced_model/*", group)
    return re.sub(r"^volume/receiver/[^/]+$", "volume/receiver/*", group), name


def parent(path):
    return path.rpartition("/")[0]


def text(item, name):
    value = item.attrs.get(name, "")
    return value.decode() if isinstance(value, bytes) else value


def is_bare(item):
    return text(item, "NAME").startswith(BARE)


def is_text(item):
    return h5py.check_string_dtype(item.dtype) is not None


def dimensions(item):
    """Names of the axes; what is wrong with them in place of a name."""
    if h5py.h5ds.is_scale(item.id):
        return [item.name.rpartition("/")[2]]
    names = []
    for axis, dim in enumerate(item.dims):
        scales = dim.values()
        if len(scales) != 1:
            names.append(f"axis {axis} has {len(scales)} scales")
            continue
        if not (parent(item.name) + "/").startswith(parent(scales[0].name) + "/"):
            names.append(f"axis {axis} is {scales[0].name} of another group")
            continue
        if scales[0].shape[0] != item.shape[axis]:
            names.append(f"axis {axis} is not as long as {scales[0].name}")
            continue
        names.append(scales[0].name.rpartition("/")[2])
    return names


def variables(file):
    """All that is a variable: every dataset but dimensions without values."""
    found = []
    file.visititems(lambda _, item: found.append(item) if isinstance(item, h5py.Dataset) else None)
    return [item for item in found if not is_bare(item)]


def groups(file):
    found = ["/"]
    file.visititems(lambda _, item: found.append(item.name) if isinstance(item, h5py.Group) else None)
    return found


def check_variable(item, page, page_name, wrong):
    def say(what):
        wrong.append(f"{item.file.filename}: {item.name}: {what}")

    names = dimensions(item)
    for name in names:
        if " " in name or name.startswith("phony_dim"):
            say(name)
    for name in {name for name in names if names.count(name) > 1}:
        say(f"has the dimension {name} twice")
    if "epoch" in names and not is_bare(item):
        epoch = item.parent.get("epoch")
        if epoch is None or is_bare(epoch) or text(epoch, "units") != "s":
            say("its group has no epoch in s")
    if not text(item, "long_name"):
        say("has no long_name")
    if not is_text(item) and "grid_mapping_name" not in item.attrs and not text(item, "units"):
        say("has no units")
    if place(item) not in page:
        say(f"is not in {page_name}")
        return
    dims, units = page[place(item)]
    if tuple(names) not in dims:
        say(f"has the dimensions {names}, in {page_name} {dims}")
    if text(item, "units") not in units:
        say(f"has the units '{text(item, 'units')}', in {page_name} {units}")


def check_in_xarray(path, names, wrong):
    try:
        import netCDF4  # noqa: F401
        import xarray as xr
    except ImportError as error:
        print(f"{error}: not opened in xarray")
        return
    for name in names:
        with xr.open_dataset(path, group=name, engine="netcdf4") as group:
            group.load()
            for dim in group.sizes:
                if str(dim).startswith("phony_dim"):
                    wrong.append(f"{path}: group {name}: xarray sees the dimension {dim}")
            if "epoch" in group.sizes and "epoch" not in group.coords:
                wrong.append(f"{path}: group {name}: xarray sees no coordinate epoch")


def main(arguments):
    wrong = []
    named = [argument.removeprefix("--page=") for argument in arguments
             if argument.startswith("--page=")]
    sources = [PAGE.with_name(name) for name in named] or [PAGE]
    name = " and ".join(source.name for source in sources)
    page = {row: cells for source in sources for row, cells in page_rows(source).items()}
    paths = [argument for argument in arguments if not argument.startswith("--")]
    seen = set()
    for path in paths:
        with h5py.File(path, "r") as file:
            for item in variables(file):
                check_variable(item, page, name, wrong)
                seen.add(place(item))
            names = groups(file)
        check_in_xarray(path, names, wrong)
    if "--all" in arguments:
        wrong += [f"{name}: {group}/{variable} is in none of the files"
                  for group, variable in page if (group, variable) not in seen]
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
