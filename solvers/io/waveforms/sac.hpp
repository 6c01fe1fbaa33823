// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "solvers/io/waveforms/trace.hpp"

namespace kaname::io {

/// Writes a trace as a binary SAC file (header version 6, evenly sampled, this machine's byte
/// order, which readers tell by the version). What of a trace goes where:
///
///   DELTA             dt_s
///   NZYEAR..NZMSEC    the reference time: start_s to the nearest millisecond
///   B, E, O           first and last sample, origin, in seconds after it
///   KNETWK KSTNM KHOLE KCMPNM KEVNM   codes and the event's name; KHOLE the location
///   STLA STLO STEL, EVLA EVLO   station and event [deg, m]; EVDP the event's depth [km]
///   USER0..2, USER3..5          station and event in the model's frame [m]
///   KUSER0            units. IDEP is SAC's own kind only where they are its units of it: "nm",
///                     "nm/s", "nm/s/s", "V"; the values stay as they are.
///
/// Fields without a value hold SAC's -12345. The file appears under its name when it is complete.
/// Throws InvalidArgument, naming field, value and rule: codes and units above 8 characters, an
/// event's name above 16; no samples or more than 2^31 - 1; places off the globe; a dt_s that a
/// float cannot hold to within a twentieth of a sample at the trace's end. Throws Unavailable when
/// the file cannot be written.
void write_sac(const std::string& path, const Trace& trace);

}  // namespace kaname::io
