// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace kaname::io {

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
    Depmen = 56
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

}  // namespace kaname::io
