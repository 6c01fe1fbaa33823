// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

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
///   CMPAZ CMPINC      azimuth and angle from the vertical of positive values [deg]
///   DIST AZ BAZ GCARC   way from the event to the station [km, deg]
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

// Places in the header of SAC files, version 6, as the SAC manual's chapter on its file format
// lists them: words of four bytes for numbers, bytes for texts.
enum class SacFloat {
    Delta = 0,
    Depmin = 1,
    Depmax = 2,
    B = 5,
    E = 6,
    O = 7,
    Stla = 31,
    Stlo = 32,
    Stel = 33,
    Evla = 35,
    Evlo = 36,
    Evdp = 38,
    User0 = 40,
    Dist = 50,
    Az = 51,
    Baz = 52,
    Gcarc = 53,
    Depmen = 56,
    Cmpaz = 57,
    Cmpinc = 58
};
enum class SacInt {
    Nzyear = 70,
    Nzjday = 71,
    Nzhour = 72,
    Nzmin = 73,
    Nzsec = 74,
    Nzmsec = 75,
    Nvhdr = 76,
    Npts = 79,
    Iftype = 85,
    Idep = 86,
    Iztype = 87,
    Leven = 105,
    Lpspol = 106,
    Lovrok = 107,
    Lcalda = 108
};
enum class SacText {
    Kstnm = 440,
    Kevnm = 448,  ///< 16 bytes; all others 8
    Khole = 464,
    Kuser0 = 576,
    Kcmpnm = 600,
    Knetwk = 608
};

/// The 632 bytes before the samples: 70 floats, 40 integers and logicals, 192 bytes of text, all
/// undefined at first but what every evenly sampled time series has.
class SacHeader {
public:
    // Values of the enumerated fields.
    static constexpr std::int32_t kTimeSeries = 1;  // ITIME
    static constexpr std::int32_t kUnknown = 5;     // IUNKN
    static constexpr std::int32_t kBeginTime = 9;   // IB

    SacHeader();

    void set(SacFloat field, double value);
    /// USER0 to USER9.
    void set_user(int index, double value);
    void set(SacInt field, std::int32_t value);
    /// Padded with blanks; an empty text stays undefined. Longer ones are cut.
    void set(SacText field, const std::string& value);
    /// NZYEAR to NZMSEC from milliseconds after 1970.
    void set_reference(std::int64_t epoch_ms);

    /// IDEP of values in these units: SAC's displacement is in nm.
    [[nodiscard]] static std::int32_t kind_of(const std::string& units);
    [[nodiscard]] std::string bytes() const { return {bytes_.data(), bytes_.size()}; }

private:
    std::array<char, 632> bytes_;
};

/// Names of the layouts of export_seismograms.
inline constexpr const char* kSacLayout = "sac";
inline constexpr const char* kMiniSeedLayout = "miniseed";

/// Writes the seismograms of the dataset at `dataset_path` to `folder`, which is made where it is
/// missing: of each source that is done SOURCE.RECEIVER.CHANNEL.sac, or SOURCE.mseed; then
/// receivers.csv and sources.csv with codes and places, and manifest.json with all names. Channels
/// are a band letter by sampling rate (FDSN), X for synthetic, and X, Y or Z.
///
/// In a model with a place on the globe the horizontal channels are N and E, turned to true north
/// at each receiver; files have longitudes and latitudes, distances and azimuths; stations.xml
/// (StationXML) and paths.csv stand beside them.
///
/// A receiver whose id is no station code of the format (8 characters of SAC, 5 capital letters and
/// digits of miniSEED) gets R and its number. Time 0 of sources is `origin_s` after 1970. Returns
/// the paths written. Throws InvalidArgument for another layout, no source that is done, or as
/// write_sac and write_miniseed; Unavailable when the system refuses, or for a model on the globe
/// in a build without PROJ.
std::vector<std::string> export_seismograms(const std::string& dataset_path,
                                            const std::string& layout, const std::string& folder,
                                            double origin_s = 0.0);

}  // namespace kaname::io
