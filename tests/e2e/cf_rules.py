# SPDX-License-Identifier: BSD-3-Clause
"""Requirements of the CF conventions 1.10 (https://cfconventions.org) on a netCDF-4 file, read with h5py.

Usage: cf_rules.py FILE... prints the faults; exits 1 when there are any. Rules have the section of the convention
that they are from. Of tables it knows the rows that Kaname's files use: of appendix F azimuthal_equidistant, of the
standard names those below; another name is a fault, so that whoever uses one adds its row from the published table.
"""
import re
import sys

import h5py
import numpy as np

# Appendix F, required attributes of a grid mapping, and the coordinates that a projected one maps to (5.6).
GRID_MAPPINGS = {
    "azimuthal_equidistant": ({"longitude_of_projection_origin", "latitude_of_projection_origin", "false_easting",
                               "false_northing"}, {"projection_x_coordinate", "projection_y_coordinate"}),
    "latitude_longitude": (set(), {"longitude", "latitude"}),
}
MAPPING_NUMBERS = {"longitude_of_projection_origin": (-180, 360), "latitude_of_projection_origin": (-90, 90),
                   "false_easting": None, "false_northing": None, "longitude_of_prime_meridian": (-180, 180),
                   "semi_major_axis": (1, 1e9), "inverse_flattening": (1, 1e9)}
# The table of standard names: units that are of the canonical dimension.
METRES, DEGREES_EAST = {"m", "km"}, {"degrees_east", "degree_east", "degree_E", "degrees_E", "degreeE", "degreesE"}
DEGREES_NORTH = {unit.replace("east", "north").replace("E", "N") for unit in DEGREES_EAST}
STANDARD_NAMES = {"longitude": DEGREES_EAST, "latitude": DEGREES_NORTH, "depth": METRES,
                  "projection_x_coordinate": METRES, "projection_y_coordinate": METRES}
# Units of UDUNITS that the files use (3.1): base units, prefixes, and how they are joined.
UNIT = re.compile(r"(?:(?:[kMGTmun]?(?:m|s|g|Pa|N|J|Hz|W)|year|a|radian|degree|degrees_east|degrees_north|1)(?:-?\d+)?)"
                  r"(?:[ .](?:[kMGTmun]?(?:m|s|g|Pa|N|J|Hz|W)|year|a|radian|degree)(?:-?\d+)?)*")
TIME_UNIT = re.compile(r"\w+ since \d")
HIDDEN = {"CLASS", "NAME", "REFERENCE_LIST", "DIMENSION_LIST", "_Netcdf4Dimid", "_Netcdf4Coordinates", "_nc3_strict"}
NO_VALUES = b"This is a netCDF dimension but not a netCDF variable"


def text(value):
    return value.decode() if isinstance(value, bytes) else value


class Variable:
    def __init__(self, data, file):
        self.data, self.path = data, data.name.lstrip("/")
        self.attributes = {name: value for name, value in data.attrs.items() if name not in HIDDEN}
        self.name, self.group = self.path.rpartition("/")[2], data.parent.name
        self.dims = []
        if "DIMENSION_LIST" in data.attrs:
            self.dims = [file[refs[0]].name if len(refs) else None for refs in data.attrs["DIMENSION_LIST"]]
        elif "CLASS" in data.attrs:  # of a dimension, it is its own
            self.dims = [data.name]

    def get(self, name):
        return text(self.attributes.get(name))

    @property
    def is_text(self):
        return h5py.check_string_dtype(self.data.dtype) is not None

    @property
    def is_coordinate(self):
        """1.3: one dimension, of its own name, numbers."""
        return self.dims == [self.data.name] and not self.is_text


class File:
    def __init__(self, file):
        self.file, self.faults, self.variables = file, [], {}
        file.visititems(self.take)

    def take(self, _, item):
        if isinstance(item, h5py.Dataset) and not bytes(item.attrs.get("NAME", b"")).startswith(NO_VALUES):
            self.variables[item.name] = Variable(item, self.file)

    def fault(self, section, variable, words):
        self.faults.append(f"{section} {variable.path if variable else '/'}: {words}")

    def find(self, name, group):
        """2.7: a name without a path is of the group, or of one around it."""
        while True:
            found = self.variables.get(f"{group.rstrip('/')}/{name}")
            if found or group in ("/", ""):
                return found
            group = group.rpartition("/")[0] or "/"

    def check(self):
        if not re.search(r"\bCF-1\.(1[0-9]|[0-9])\b", text(self.file.attrs.get("Conventions", ""))):
            self.fault("2.6.1", None, "Conventions must name CF-1.N")
        for name in ("title", "source", "history"):  # 2.6.2 recommends them
            if not text(self.file.attrs.get(name, "")):
                self.fault("2.6.2", None, f"must have {name}")
        for name in ("title", "source", "history", "institution", "references", "comment"):
            if name in self.file.attrs and not isinstance(text(self.file.attrs[name]), str):
                self.fault("2.6.2", None, f"{name} must be text")
        for variable in self.variables.values():
            for rule in (self.form, self.units, self.standard_name, self.coordinate, self.vertical_and_time,
                         self.flags, self.coordinates, self.grid_mapping):
                rule(variable)
        return self.faults

    def form(self, variable):
        kind = variable.data.dtype
        if not variable.is_text and not (kind.kind in "iuf" and kind.itemsize in (1, 2, 4, 8)):
            self.fault("2.2", variable, f"type {kind} is none of CF's")
        if len(set(variable.dims)) != len(variable.dims):
            self.fault("2.4", variable, f"dimensions must differ, got {variable.dims}")
        if None in variable.dims or len(variable.dims) != variable.data.ndim:
            self.fault("2.4", variable, f"every axis must have a dimension, got {variable.dims}")
        fill = variable.attributes.get("_FillValue")
        if fill is not None and np.asarray(fill).dtype != kind:
            self.fault("2.5.1", variable, f"_FillValue must be of type {kind}")
        if fill is not None and variable.is_coordinate:
            self.fault("2.5.1", variable, "a coordinate has no missing values")
        if not (variable.get("long_name") or variable.get("standard_name") or variable.get("grid_mapping_name")):
            self.fault("3.2", variable, "must have a long_name or a standard_name")

    def units(self, variable):
        units = variable.get("units")
        if units is None:
            if not variable.is_text and variable.name != "crs" and variable.data.dtype.kind == "f":
                self.fault("3.1", variable, "must have units")
        elif not UNIT.fullmatch(units) and not TIME_UNIT.match(units):
            self.fault("3.1", variable, f"units must be of UDUNITS, got {units!r}")

    def standard_name(self, variable):
        name, units = variable.get("standard_name"), variable.get("units")
        if name is None:
            if units in DEGREES_EAST | DEGREES_NORTH:
                self.fault("4.1", variable, "a longitude or latitude must have its standard_name here")
            return
        if name not in STANDARD_NAMES:
            self.fault("3.3", variable, f"standard_name {name!r} is not in the table")
        elif units not in STANDARD_NAMES[name]:
            self.fault("3.3", variable, f"units of {name} must be one of {STANDARD_NAMES[name]}, got {units!r}")

    def coordinate(self, variable):
        if not variable.is_coordinate:
            return
        steps = np.diff(variable.data[()].astype(float))
        if not (np.all(steps > 0) or np.all(steps < 0)):
            self.fault("1.3", variable, "values of a coordinate must be strictly monotonic, and none missing")

    def vertical_and_time(self, variable):
        axis, units, positive = (variable.get(name) for name in ("axis", "units", "positive"))
        if axis not in (None, "X", "Y", "Z", "T"):
            self.fault("4", variable, f"axis must be X, Y, Z or T, got {axis!r}")
        is_time = axis == "T" or variable.get("standard_name") == "time"
        if is_time and not TIME_UNIT.match(units or ""):
            self.fault("4.4", variable, f"a time must have units '... since <date>', got {units!r}")
        if (axis == "Z" or variable.get("standard_name") == "depth") and positive not in ("up", "down"):
            self.fault("4.3", variable, "a vertical coordinate must say which way is positive")
        if positive is not None and positive not in ("up", "down"):
            self.fault("4.3", variable, f"positive must be up or down, got {positive!r}")

    def flags(self, variable):
        values, meanings = variable.attributes.get("flag_values"), variable.get("flag_meanings")
        if values is None and meanings is None:
            return
        if values is None or meanings is None:
            self.fault("3.5", variable, "flag_values and flag_meanings belong together")
        elif values.dtype != variable.data.dtype or len(set(values)) != len(values):
            self.fault("3.5", variable, "flag_values must differ and be of the variable's type")
        elif len(meanings.split()) != len(values):
            self.fault("3.5", variable, f"{len(values)} flag_values have {len(meanings.split())} flag_meanings")

    def coordinates(self, variable):
        for name in (variable.get("coordinates") or "").split():
            other = self.find(name, variable.group)
            if other is None:
                self.fault("5", variable, f"coordinates names {name}, which is not there")
            elif not set(other.dims) <= set(variable.dims):
                self.fault("5", variable, f"dimensions of its coordinate {name} must be among its own")

    def grid_mapping(self, variable):
        if variable.get("grid_mapping_name"):
            self.mapping(variable)
        words = (variable.get("grid_mapping") or "").split()
        if not words:
            return
        mapping, named = self.find(words[0].rstrip(":"), variable.group), words[1:]
        if mapping is None or mapping.get("grid_mapping_name") not in GRID_MAPPINGS:
            self.fault("5.6", variable, f"grid_mapping {words[0]} must be a variable with a grid_mapping_name")
            return
        if words[0].endswith(":") == (not named):
            self.fault("5.6", variable, "grid_mapping must be 'NAME' or 'NAME: coordinate ...'")
        own = [self.find(name, variable.group) for name in
               named or [dim.rpartition("/")[2] for dim in variable.dims] + (variable.get("coordinates") or "").split()]
        beside = set((variable.get("coordinates") or "").split()) | {dim.rpartition("/")[2] for dim in variable.dims}
        if not set(named) <= beside:
            self.fault("5.6", variable, f"coordinates {set(named) - beside} of its grid_mapping are not its own")
        wanted = GRID_MAPPINGS[mapping.get("grid_mapping_name")][1]
        if not wanted <= {other.get("standard_name") for other in own if other}:
            self.fault("5.6", variable, f"its grid_mapping wants coordinates with standard names {sorted(wanted)}")

    def mapping(self, variable):
        name = variable.get("grid_mapping_name")
        if name not in GRID_MAPPINGS:
            self.fault("F", variable, f"grid_mapping_name {name!r} is not in appendix F as it is known here")
            return
        for lacking in sorted(GRID_MAPPINGS[name][0] - set(variable.attributes)):
            self.fault("F", variable, f"{name} must have {lacking}")
        for attribute, bounds in MAPPING_NUMBERS.items():
            value = variable.attributes.get(attribute)
            if value is None:
                continue
            if np.asarray(value).dtype.kind not in "if" or (bounds and not bounds[0] <= value <= bounds[1]):
                self.fault("F", variable, f"{attribute} must be a number of {bounds}, got {value!r}")
        wkt = variable.get("crs_wkt")
        if wkt is not None and not re.match(r"\s*\w+\[", wkt):
            self.fault("5.6.1", variable, "crs_wkt must be well-known text")


def faults(path):
    """What breaks the convention, a line each."""
    with h5py.File(path, "r") as file:
        return File(file).check()


if __name__ == "__main__":
    found = [f"{path}: {line}" for path in sys.argv[1:] for line in faults(path)]
    print("\n".join(found))
    sys.exit(1 if found else 0)
