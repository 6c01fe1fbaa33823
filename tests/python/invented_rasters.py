# SPDX-License-Identifier: BSD-3-Clause
"""Rasters of motion towards a satellite, made up and written as other programs write theirs, by the public
documentation of their formats and not by code of the package."""
import h5py
import netCDF4
import numpy as np

LON, LAT, STEP = 20.0, 38.4, 0.004  # outer corner in the north-west, pixels in degrees
INCIDENCE_DEG, HEADING_DEG = 37.0, -12.0


def places(rows, columns):
    """Returns longitudes and latitudes of the pixels' centres, row 0 in the north."""
    return np.meshgrid(LON + STEP * (0.5 + np.arange(columns)), LAT - STEP * (0.5 + np.arange(rows)))


def motion(lon, lat):
    """Returns motion in m: a plane with a hump, so that each pixel has a value of its own."""
    hump = np.exp(-(((lon - LON - 0.06) / 0.02) ** 2) - ((lat - LAT + 0.05) / 0.015) ** 2)
    return 0.03 * hump + 0.2 * (lon - LON) - 0.1 * (lat - LAT)


def look():
    """Returns east, north, up to a satellite that flies by at HEADING_DEG and looks right."""
    side = np.radians(HEADING_DEG - 90.0)  # clockwise from north, from the ground to the satellite
    lean = np.radians(INCIDENCE_DEG)
    return np.array([np.sin(lean) * np.sin(side), np.sin(lean) * np.cos(side), np.cos(lean)])


def noise(shape, step_m, sigma, length_m, rng, spherical=False):
    """Returns errors whose covariance is sigma^2 exp(-h / length) (or spherical), by circulant embedding."""
    lag = [np.minimum(np.arange(2 * n), 2 * n - np.arange(2 * n)) * s for n, s in zip(shape, step_m)]
    q = np.hypot(lag[0][:, None], lag[1][None, :]) / length_m
    near = np.minimum(q, 1.0)
    covariance = 1.0 - 1.5 * near + 0.5 * near**3 if spherical else np.exp(-q)
    root = np.sqrt(np.maximum(np.fft.fft2(covariance).real, 0.0))
    white = np.fft.fft2(rng.standard_normal(root.shape))
    return sigma * np.fft.ifft2(white * root).real[:shape[0], :shape[1]]


# MintPy: attributes are texts of the root.

def _attributes(rows, columns, geocoded, **more):
    made = {"LENGTH": rows, "WIDTH": columns, "WAVELENGTH": 0.05546576, "ORBIT_DIRECTION": "ASCENDING",
            "HEADING": HEADING_DEG, "ANTENNA_SIDE": -1, "PROCESSOR": "isce", "NO_DATA_VALUE": "none"}
    if geocoded:
        made.update(X_FIRST=LON, Y_FIRST=LAT, X_STEP=STEP, Y_STEP=-STEP, X_UNIT="degrees", Y_UNIT="degrees")
    return {**made, **more}


def _put(path, attributes, **datasets):
    with h5py.File(path, "w") as file:
        for key, value in attributes.items():
            file.attrs[key] = str(value)
        for key, value in datasets.items():
            file[key] = value
    return path


def mintpy(folder, values=None, rows=24, columns=30, unit="m/year", **attributes):
    """Writes velocity.h5 and geometryGeo.h5; returns the first."""
    values = motion(*places(rows, columns)) if values is None else values
    rows, columns = values.shape
    said = _attributes(rows, columns, True, **attributes)
    full = np.full((rows, columns), 1.0, dtype=np.float32)
    # LOS azimuth: from the ground to the satellite, anticlockwise from north.
    _put(folder / "geometryGeo.h5", said, incidenceAngle=INCIDENCE_DEG * full,
         azimuthAngle=(90.0 - HEADING_DEG) * full)
    return _put(folder / "velocity.h5", {**said, "FILE_TYPE": "velocity", "UNIT": unit},
                velocity=values.astype(np.float32))


def mintpy_series(folder, days, rows=24, columns=30):
    """Writes timeseries.h5, whose image k is k + 1 times the motion."""
    mintpy(folder, rows=rows, columns=columns)
    images = np.stack([(k + 1) * motion(*places(rows, columns)) for k in range(len(days))]).astype(np.float32)
    return _put(folder / "timeseries.h5", _attributes(rows, columns, True, FILE_TYPE="timeseries", UNIT="m"),
                timeseries=images, date=np.array([d.encode() for d in days]))


def mintpy_radar(folder, rows=24, columns=30):
    """Writes velocity.h5 in radar coordinates, turned by 12 degrees, with geometryRadar.h5."""
    down, along = np.mgrid[0:rows, 0:columns] * STEP
    turn = np.radians(12.0)
    lon = LON + along * np.cos(turn) + down * np.sin(turn)
    lat = LAT + along * np.sin(turn) - down * np.cos(turn)
    said = _attributes(rows, columns, False)
    full = np.ones((rows, columns), dtype=np.float32)
    shown = lon.copy(), lat.copy()
    for one in shown:
        one[0, :3] = 0.0  # no place
    _put(folder / "geometryRadar.h5", said, incidenceAngle=INCIDENCE_DEG * full, longitude=shown[0], latitude=shown[1])
    _put(folder / "velocity.h5", {**said, "FILE_TYPE": "velocity", "UNIT": "m/year"},
         velocity=motion(lon, lat).astype(np.float32))
    return folder / "velocity.h5", lon, lat


# GMT: x and y are the pixels' middles, y grows to the north; SAT_look's vectors beside it.

def grd(path, values, classic=False):
    rows, columns = values.shape
    lon, lat = places(rows, columns)
    with netCDF4.Dataset(path, "w", format="NETCDF3_CLASSIC" if classic else "NETCDF4") as file:
        file.Conventions = "CF-1.7"
        file.node_offset = np.int32(1)
        for name, middle, size in (("lon", lon[0], columns), ("lat", lat[::-1, 0], rows)):
            file.createDimension(name, size)
            axis = file.createVariable(name, "f8", (name,))
            axis.units = "degrees_east" if name == "lon" else "degrees_north"
            axis.actual_range = [middle[0] - STEP / 2, middle[-1] + STEP / 2]
            axis[:] = middle
        z = file.createVariable("z", "f4", ("lat", "lon"), fill_value=np.float32(np.nan))
        z[:] = values[::-1]
    return path


def gmtsar(folder, values=None, rows=24, columns=30, classic=False):
    """Writes los_ll.grd in mm with look_e.grd, look_n.grd and look_u.grd."""
    values = 1e3 * motion(*places(rows, columns)) if values is None else values
    for name, part in zip("enu", look()):
        grd(folder / f"look_{name}.grd", np.full(values.shape, part), classic)
    return grd(folder / "los_ll.grd", values, classic)


def geotiff(path, values, missing=None, wkt="EPSG:4326", corner=(LON, LAT), step=STEP):
    from osgeo import gdal, osr

    reference = osr.SpatialReference()
    reference.SetFromUserInput(wkt)
    rows, columns = values.shape
    data = gdal.GetDriverByName("GTiff").Create(str(path), columns, rows, 1, gdal.GDT_Float32)
    data.SetGeoTransform((corner[0], step, 0.0, corner[1], 0.0, -step))
    data.SetProjection(reference.ExportToWkt())
    if missing is not None:
        data.GetRasterBand(1).SetNoDataValue(missing)
    data.GetRasterBand(1).WriteArray(values.astype(np.float32))
    data.FlushCache()
    return path


def licsar(folder, rows=24, columns=30, wavelength_m=0.05546576):
    """Writes 20190101_20190113.geo.unw.tif in radians with the frame's E, N and U; 0 is no data."""
    phase = -4.0 * np.pi / wavelength_m * motion(*places(rows, columns))
    phase[:2, :2] = 0.0
    for name, part in zip("ENU", look()):
        geotiff(folder / f"106A_05049_131313.geo.{name}.tif", np.full((rows, columns), part))
    return geotiff(folder / "20190101_20190113.geo.unw.tif", phase, 0.0)


_VRT = """<VRTDataset rasterXSize="{columns}" rasterYSize="{rows}">
  <SRS>EPSG:4326</SRS>
  <GeoTransform>{lon}, {step}, 0.0, {lat}, 0.0, -{step}</GeoTransform>
{bands}</VRTDataset>
"""
_BAND = """  <VRTRasterBand dataType="Float32" band="{band}" subClass="VRTRawRasterBand">
    <SourceFilename relativeToVRT="1">{name}</SourceFilename>
    <ByteOrder>LSB</ByteOrder>
    <ImageOffset>{offset}</ImageOffset>
    <PixelOffset>4</PixelOffset>
    <LineOffset>{line}</LineOffset>
  </VRTRasterBand>
"""


_XML = """<imageFile>
  <property name="WIDTH"><value>{columns}</value></property>
  <property name="LENGTH"><value>{rows}</value></property>
  <property name="NUMBER_BANDS"><value>{bands}</value></property>
  <property name="DATA_TYPE"><value>FLOAT</value></property>
  <property name="SCHEME"><value>BIL</value></property>
  <property name="BYTE_ORDER"><value>l</value></property>
  <component name="coordinate1">
    <property name="startingvalue"><value>{lon}</value></property>
    <property name="delta"><value>{step}</value></property>
    <property name="size"><value>{columns}</value></property>
  </component>
  <component name="coordinate2">
    <property name="startingvalue"><value>{lat}</value></property>
    <property name="delta"><value>-{step}</value></property>
    <property name="size"><value>{rows}</value></property>
  </component>
</imageFile>
"""


def isce_image(folder, name, bands):
    """Writes NAME of lines that hold a line of each band in turn (BIL), NAME.vrt and NAME.xml."""
    rows, columns = bands[0].shape
    np.stack(bands, axis=1).astype("<f4").tofile(folder / name)
    text = "".join(_BAND.format(band=k + 1, name=name, offset=4 * k * columns, line=4 * columns * len(bands))
                   for k in range(len(bands)))
    (folder / f"{name}.xml").write_text(_XML.format(columns=columns, rows=rows, bands=len(bands), lon=LON, lat=LAT,
                                                    step=STEP))
    path = folder / f"{name}.vrt"
    path.write_text(_VRT.format(columns=columns, rows=rows, lon=LON, lat=LAT, step=STEP, bands=text))
    return path


def isce(folder, rows=24, columns=30, wavelength_m=0.236057):
    """Writes filt_topophase.unw.geo (amplitude, phase) and los.rdr.geo (incidence, azimuth)."""
    phase = -4.0 * np.pi / wavelength_m * motion(*places(rows, columns))
    full = np.ones((rows, columns))
    isce_image(folder, "los.rdr.geo", [INCIDENCE_DEG * full, (90.0 - HEADING_DEG) * full])
    return isce_image(folder, "filt_topophase.unw.geo", [7.0 * full, phase])


_KITE = """%YAML 1.1
--- !kite.SceneConfig
meta: !kite.Meta
  scene_title: made up
  satellite_name: none
  wavelength: 0.0555
frame: !kite.FrameConfig
  llLat: {lat}
  llLon: {lon}
  dN: {step}
  dE: {step}
  spacing: {spacing}
quadtree: !kite.QuadtreeConfig
  correction: mean
  epsilon: 0.01
"""


def kite(folder, rows=24, columns=30):
    """Writes scene.npz and scene.yml; row 0 lies in the south, angles are radians."""
    lon, lat = places(rows, columns)
    to = np.pi - np.radians(HEADING_DEG)  # anticlockwise from east: it flies at 90 - heading, we look back left
    theta = np.full((rows, columns), np.pi / 2.0 - np.radians(INCIDENCE_DEG))
    with open(folder / "scene.npz", "wb") as file:
        np.savez(file, motion(lon, lat)[::-1], theta, np.full((rows, columns), to))
    (folder / "scene.yml").write_text(_KITE.format(lat=float(lat[-1, 0]), lon=float(lon[0, 0]), step=STEP,
                                                   spacing="degree"))
    return folder / "scene.npz"
