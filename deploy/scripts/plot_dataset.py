#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws a dataset: maps of a source, a scenario or an inversion, time series, seismograms, a rupture.

Without --station a map per epoch, and of the first and last epochs also the change between them.
"""
import argparse
import json
import sys

try:
    import matplotlib

    matplotlib.use("Agg")
    from plotting.common import PlotError, output_path, save
    from plotting.dataset import Dataset
    from plotting.ground import read_depth_grid
    from plotting.history import History, draw_history
    from plotting.maps import draw_maps
    from plotting.rupture import Rupture, draw_rupture, is_rupture
    from plotting.series import draw_series
    from plotting.posterior import Posterior, draw_posterior, draw_viscosities
    from plotting.slip import Slip, draw_slip, is_inversion
    from plotting.waves import Waves, draw_waves, is_waves
except ModuleNotFoundError as missing:
    package = "python3-" + str(missing.name).split(".", maxsplit=1)[0]
    print(f"error: plotting needs the Python module {missing.name} for {sys.executable}; install "
          f"the package {package} (apt-get install {package}), or run "
          "deploy/scripts/packages.sh plot", file=sys.stderr)
    sys.exit(5)


def parse():
    parser = argparse.ArgumentParser(prog="plot_dataset.py", description=__doc__.splitlines()[0])
    parser.add_argument("dataset")
    parser.add_argument("--source", help="source id; default: the done one closest to the stations,"
                                         " of a scenario the total")
    parser.add_argument("--epoch", type=float, action="append", default=[], metavar="YEARS",
                        help="map of this epoch; may be given several times")
    parser.add_argument("--station", action="append", default=[],
                        help="time series of these stations, A,B; may be given several times")
    parser.add_argument("--contours", metavar="CSV",
                        help="grid lon_deg,lat_deg,depth_km for depth contours")
    parser.add_argument("--width", type=float, metavar="KM", help="width of the map")
    parser.add_argument("--component", help="of seismograms: x, y or z; default: z")
    parser.add_argument("--output", "-o", help="picture; default: beside the dataset")
    parser.add_argument("--force", action="store_true", help="write over an existing picture")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def draw_inversion(arguments):
    """The slip that an inversion found."""
    named = {"--source": arguments.source, "--epoch": arguments.epoch,
             "--station": arguments.station, "--width": arguments.width}
    for option in (name for name, value in named.items() if value):
        raise PlotError(f"{option} is of a dataset's pictures, {arguments.dataset} is an inversion")
    path = output_path(arguments.output, arguments.dataset, "slip", arguments.force)
    grid = read_depth_grid(arguments.contours) if arguments.contours else None
    slip = Slip(arguments.dataset)
    posterior = Posterior.open(arguments.dataset)
    written = {path: f"slip on {slip.amount.shape[1]} patches"}
    if posterior:
        of_posterior = output_path(path.with_name(f"{path.stem}_posterior{path.suffix}"),
                                   arguments.dataset, "posterior", arguments.force)
        save(draw_posterior(slip, posterior, grid), of_posterior)
        written[of_posterior] = "median and 95 % of slip, and its probability"
        if posterior.theta:
            of_theta = output_path(path.with_name(f"{path.stem}_viscosities{path.suffix}"),
                                   arguments.dataset, "viscosities", arguments.force)
            save(draw_viscosities(slip.title, posterior), of_theta)
            written[of_theta] = "viscosities that were sampled with slip"
    history = History.open(arguments.dataset)
    if history:
        of_history = output_path(path.with_name(f"{path.stem}_history{path.suffix}"),
                                 arguments.dataset, "history", arguments.force)
        save(draw_history(slip, history), of_history)
        written[of_history] = f"slip rates of {len(history.rate)} steps of time, and moment rate"
    save(draw_slip(slip, grid), path)
    if arguments.json:
        print(json.dumps({"written": [str(p) for p in written], "windows": slip.windows}, indent=2))
    else:
        for picture, what in written.items():
            print(f"{picture}: {what}")


def draw_seismograms(arguments):
    """Seismograms of a source."""
    named = {"--epoch": arguments.epoch, "--station": arguments.station,
             "--width": arguments.width, "--contours": arguments.contours}
    for option in (name for name, value in named.items() if value):
        raise PlotError(f"{option} is of a map, {arguments.dataset} has seismograms")
    if is_rupture(arguments.dataset) and not arguments.source:
        draw_faults(arguments)
        return
    path = output_path(arguments.output, arguments.dataset, "waves", arguments.force)
    waves = Waves.of_file(arguments.dataset, arguments.source, arguments.component or "z")
    save(draw_waves(waves), path)
    if arguments.json:
        print(json.dumps({"written": [str(path)], "source": waves.source}, indent=2))
    else:
        print(f"{path}: source {waves.source}, {len(waves.names)} receivers")


def draw_faults(arguments):
    """Rupture times and slip on faults, slip rates, and seismograms."""
    path = output_path(arguments.output, arguments.dataset, "rupture", arguments.force)
    rupture = Rupture.of_file(arguments.dataset, arguments.component or "y")
    save(draw_rupture(rupture), path)
    if arguments.json:
        print(json.dumps({"written": [str(path)], "magnitude": rupture.magnitude}, indent=2))
    else:
        print(f"{path}: {len(rupture.faults)} faults, magnitude {rupture.magnitude:.2f}")


def draw(arguments):
    if is_inversion(arguments.dataset):
        draw_inversion(arguments)
        return
    if is_waves(arguments.dataset):
        draw_seismograms(arguments)
        return
    if arguments.component:
        raise PlotError(f"--component is of seismograms, {arguments.dataset} has none")
    data = Dataset(arguments.dataset)
    if arguments.width is not None and not arguments.width > 0.0:
        raise PlotError(f"--width: must be > 0 km, got {arguments.width:g}")
    if arguments.contours and not data.projected:
        raise PlotError("--contours: the dataset has no projection and so no longitudes")
    if arguments.station and (arguments.epoch or arguments.contours or arguments.width):
        raise PlotError("--station draws time series; it goes with --source and --output alone")
    path = output_path(arguments.output, arguments.dataset,
                       "series" if arguments.station else "map", arguments.force)
    source = data.choose_source(arguments.source)
    if arguments.station:
        figure = draw_series(data, source, data.choose_stations(arguments.station))
    else:
        epochs = data.choose_epochs(arguments.epoch)
        grid = read_depth_grid(arguments.contours) if arguments.contours else None
        figure = draw_maps(data, source, epochs, not arguments.epoch, grid, arguments.width)
    save(figure, path)
    if arguments.json:
        print(json.dumps({"written": [str(path)], "source": data.source_id[source]}, indent=2))
    else:
        print(f"{path}: source {data.source_id[source]}, {len(data.station)} stations")


def main():
    try:
        draw(parse())
    except PlotError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(error.code)


if __name__ == "__main__":
    main()
