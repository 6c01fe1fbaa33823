# SPDX-License-Identifier: BSD-3-Clause
"""Files of GNSS positions and velocities, written by the formats' public descriptions with numbers
made up, independently of the readers."""
import datetime

import numpy as np

MONTHS = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split()
ORIGIN = datetime.date(1858, 11, 17)


def dates(first, days):
    begin = datetime.date.fromisoformat(first)
    return [begin + datetime.timedelta(days=int(k)) for k in days]


def mjd(day):
    return (day - ORIGIN).days


def short(day):
    return f"{day.year % 100:02d}{MONTHS[day.month - 1]}{day.day:02d}"


def tenv3(station, lon, lat, days, motion, sigma, antenna=None, places=True):
    """Motion [day][e, n, u] in m. The integer parts are those of UNR: kept over the whole file."""
    lines = ["site YYMMMDD yyyy.yyyy __MJD week d reflon _e0(m) __east(m) ____n0(m) _north(m) u0(m) ____up(m) "
             "_ant(m) sig_e(m) sig_n(m) sig_u(m) __corr_en __corr_eu __corr_nu _latitude(deg) _longitude(deg) __height(m)"]
    reference = round(lon, 1)
    for k, day in enumerate(days):
        week, dow = divmod(mjd(day) - 44244, 7)
        year = 2000.0 + (mjd(day) - 51544) / 365.25
        e, n, u = motion[k] + (0.41, 0.86, 0.35)
        height = 0.0 if antenna is None else antenna[k]
        place = f" {lat:.10f} {lon:.10f} {512.3:.5f}" if places else ""
        lines.append(f"{station} {short(day)} {year:.4f} {mjd(day)} {week} {dow} {reference:6.1f} {-3815:6d} {e:9.6f} "
                     f"{4276712:9d} {n:9.6f} {1687:5d} {u:9.6f} {height:6.4f} {sigma[0]:.6f} {sigma[1]:.6f} {sigma[2]:.6f} "
                     f"{0.058:8.6f} {-0.5649:8.6f} {0.0441:8.6f}{place}")
    return "\n".join(lines) + "\n"


def cartesian(lon, lat, height):
    a, f = 6378137.0, 1 / 298.257223563
    e2 = f * (2 - f)
    lon, lat = np.radians(lon), np.radians(lat)
    n = a / np.sqrt(1 - e2 * np.sin(lat)**2)
    return np.array([(n + height) * np.cos(lat) * np.cos(lon), (n + height) * np.cos(lat) * np.sin(lon),
                     (n * (1 - e2) + height) * np.sin(lat)])


def axes(lon, lat):
    """Unit vectors east, north, up as rows."""
    lon, lat = np.radians(lon), np.radians(lat)
    up = np.array([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)])
    east = np.array([-np.sin(lon), np.cos(lon), 0.0])
    return np.stack([east, np.cross(up, east), up])


def txyz2(station, lon, lat, days, motion, covariance):
    """Covariance [3][3] of x, y, z; columns 10 to 12 are the correlations xy, yz and xz."""
    xyz = cartesian(lon, lat, 512.3) + motion @ axes(lon, lat)
    s = np.sqrt(np.diag(covariance))
    rho = covariance / np.outer(s, s)
    return "".join(f"{station} {short(day)} {2000.0 + (mjd(day) - 51544) / 365.25:.4f} {p[0]:.5f} {p[1]:.5f} {p[2]:.5f} "
                   f"{s[0]:.6f} {s[1]:.6f} {s[2]:.6f} {rho[0, 1]:.6f} {rho[1, 2]:.6f} {rho[0, 2]:.6f} 0.0000\n"
                   for day, p in zip(days, xyz))


def pos(station, lon, lat, days, motion, sigma):
    lines = ["PBO Station Position Time Series. Reference Frame : IGS14", "Format Version: 1.1.0",
             f"4-character ID: {station}", "Station name  : MadeUp", f"First Epoch   : {days[0]:%Y%m%d} 120000",
             f"Last Epoch    : {days[-1]:%Y%m%d} 120000", "Release Date  : 20200618 102911",
             "XYZ Reference position :  -2396874.51122 -3534734.44146  4721722.14918 (IGS14)",
             f"NEU Reference position :    {lat:.10f}  {lon % 360:.10f}  284.67725 (IGS14/WGS84)",
             "Start Field Description", "YYYYMMDD      Year, month, day for the given position epoch",
             "dN            Difference in North component from NEU reference position, meters", "End Field Description",
             "*YYYYMMDD HHMMSS JJJJJ.JJJJ         X             Y             Z            Sx        Sy       Sz"]
    for day, (e, n, u) in zip(days, motion):
        lines.append(f" {day:%Y%m%d} 120000 {mjd(day) + 0.5:.4f} -2396874.51122 -3534734.44146 4721722.14918 0.002 0.003 0.003 "
                     f"0.1 0.2 0.3 {lat:.10f} {lon % 360:.10f} 284.67725 {n:9.5f} {e:9.5f} {u:9.5f} "
                     f"{sigma[1]:.5f} {sigma[0]:.5f} {sigma[2]:.5f} 0.058 0.044 -0.565 final")
    return "\n".join(lines) + "\n"


def gipsyx(days, motion, sigma):
    lines = []
    for day, (e, n, u) in zip(days, motion):
        seconds = (mjd(day) - 51544) * 86400
        lines.append(f"{2000 + seconds / 86400 / 365.25:.8f} {e:15.6f} {n:15.6f} {u:15.6f} {sigma[0]:15.6f} {sigma[1]:15.6f} "
                     f"{sigma[2]:15.6f} {0.058:15.6f} {-0.565:15.6f} {0.044:15.6f} {seconds:15.2f}  {day.year} {day.month:2d} "
                     f"{day.day:2d} 12  0  0")
    return "\n".join(lines) + "\n"


def globk(sites):
    """Sites are (name, lon, lat, (ve, vn, vu), (se, sn, su), rho), mm/yr."""
    lines = [" GLOBK Ver 5.31, Global solution", " PARAMETER ESTIMATES FROM GLOBK Vers 5.31",
             "    1. ALGO_GPS X coordinate  (m)       918129.3  0.0007  0.0005", "",
             " SUMMARY VELOCITY ESTIMATES FROM GLOBK Ver 5.31",
             "   Long.       Lat.         E & N Rate      E & N Adj.      E & N +-   RHO        H Rate   H adj.    +-  SITE",
             "   (deg)      (deg)           (mm/yr)       (mm/yr)       (mm/yr)                 (mm/yr)"]
    for name, lon, lat, v, s, rho in sites:
        lines.append(f"{lon % 360:11.5f}{lat:11.5f} {v[0]:8.2f}{v[1]:8.2f} {0.1:8.2f}{0.2:8.2f} {s[0]:8.2f}{s[1]:8.2f} {rho:7.3f}"
                     f"  {v[2]:8.2f} {0.3:8.2f}{s[2]:8.2f} {name}*")
    return "\n".join([*lines, "", " POS STATISTICS"]) + "\n"


def sinex(stations, epoch, covariance, kind="COVA", part="L", velocities=True):
    """Stations are (code, xyz [m], velocity [m/yr]); covariance [n][n] of the parameters in order."""
    types = ("STAX", "STAY", "STAZ") + (("VELX", "VELY", "VELZ") if velocities else ())
    lines = ["%=SNX 2.02 IGN 10:209:00000 IGN 03:001:00000 09:001:00000 C 00012 2 S V", "+SITE/ID",
             "*CODE PT __DOMES__ T _STATION DESCRIPTION__ APPROX_LON_ APPROX_LAT_ _APP_H_"]
    lines += [f" {code}  A 40104M002 P Made up, somewhere     281 55 43.6  45 57 20.8   202.0" for code, _, _ in stations]
    lines += ["-SITE/ID", "+SOLUTION/ESTIMATE",
              "*INDEX TYPE__ CODE PT SOLN _REF_EPOCH__ UNIT S __ESTIMATED VALUE____ _STD_DEV___"]
    sigma = np.sqrt(np.diag(covariance))
    values = [v for _, xyz, rate in stations for v in ([*xyz, *rate] if velocities else xyz)]
    for k, value in enumerate(values):
        name, code = types[k % len(types)], stations[k // len(types)][0]
        unit = "m" if name[0] == "S" else "m/y"
        lines.append(f"{k + 1:6d} {name:6s} {code:4s}  A    1 {epoch} {unit:4s} 2 {value:21.14E} {sigma[k]:11.5E}")
    lines += ["-SOLUTION/ESTIMATE", f"+SOLUTION/MATRIX_ESTIMATE {part} {kind}"]
    matrix = {"COVA": covariance, "INFO": np.linalg.inv(covariance),
              "CORR": covariance / np.outer(sigma, sigma) + np.diag(sigma - 1.0)}[kind]
    for r in range(len(values)):
        columns = range(0, r + 1) if part == "L" else range(r, len(values))
        for c in columns[::3]:
            row = [matrix[r, x] for x in columns if c <= x < c + 3]
            lines.append(f"{r + 1:6d} {c + 1:6d} " + " ".join(f"{v:21.14E}" for v in row))
    return "\n".join([*lines, f"-SOLUTION/MATRIX_ESTIMATE {part} {kind}", "%ENDSNX"]) + "\n"
