// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>

#include "solvers/base/files.hpp"
#include "solvers/io/waveforms/export_seismograms.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/solvers/io/waveforms/small_trace.hpp"

namespace kaname::io::sac_test {
namespace {

/// A SAC file by word and byte numbers alone, as the manual has them.
class SacBytes {
public:
    explicit SacBytes(const Trace& trace) {
        const std::string path = folder_.path() / "trace.sac";
        write_sac(path, trace);
        bytes_ = read_file_if_any(path);
        EXPECT_FALSE(std::filesystem::exists(path + ".part"));
    }

    float number(std::size_t word) const { return at<float>(4 * word); }
    std::int32_t integer(std::size_t word) const { return at<std::int32_t>(4 * word); }
    std::string text(std::size_t byte, std::size_t length = 8) const {
        return bytes_.substr(byte, length);
    }
    float sample(std::size_t i) const { return at<float>(632 + 4 * i); }
    std::size_t size() const { return bytes_.size(); }

private:
    template <class T>
    T at(std::size_t byte) const {
        T value;
        std::memcpy(&value, bytes_.data() + byte, sizeof value);
        return value;
    }

    TemporaryFolder folder_;
    std::string bytes_;
};

TEST(Sac, HeaderIsWhereTheFormatHasIt) {
    const SacBytes file(small_trace());

    EXPECT_EQ(file.size(), 632 + 5 * 4);
    EXPECT_EQ(file.number(0), 0.25F);  // DELTA
    EXPECT_EQ(file.number(1), -1.0F);  // DEPMIN
    EXPECT_EQ(file.number(2), 1.0F);   // DEPMAX
    EXPECT_EQ(file.number(5), 0.0F);   // B
    EXPECT_EQ(file.number(6), 1.0F);   // E
    EXPECT_EQ(file.number(56), 0.0F);  // DEPMEN
    EXPECT_EQ(file.integer(76), 6);    // NVHDR
    EXPECT_EQ(file.integer(79), 5);    // NPTS
    EXPECT_EQ(file.integer(85), 1);    // IFTYPE: ITIME
    EXPECT_EQ(file.integer(87), 9);    // IZTYPE: IB
    EXPECT_EQ(file.integer(105), 1);   // LEVEN
    EXPECT_EQ(file.integer(107), 1);   // LOVROK
    EXPECT_EQ(file.integer(108), 0);   // LCALDA
    EXPECT_EQ(file.text(440), "ABC     ");
    EXPECT_EQ(file.text(464), "00      ");
    EXPECT_EQ(file.text(600), "HXZ     ");
    EXPECT_EQ(file.text(608), "KN      ");
}

TEST(Sac, SamplesFollowTheHeader) {
    const Trace trace = small_trace(1000);

    const SacBytes file(trace);

    for (std::size_t i = 0; i < trace.values.size(); ++i) {
        ASSERT_EQ(file.sample(i), trace.values[i]) << i;
    }
}

TEST(Sac, ReferenceTimeIsTheStartInMilliseconds) {
    Trace trace = small_trace();
    trace.start_s = 1709164799.9995 + 0.0004;  // 2024-02-28T23:59:59.9999: rounds to the next day

    const SacBytes file(trace);

    const std::int32_t expected[6] = {2024, 60, 0, 0, 0, 0};
    for (std::size_t i = 0; i < 6; ++i) {
        EXPECT_EQ(file.integer(70 + i), expected[i]) << i;
    }
    EXPECT_NEAR(file.number(5), -1e-4, 3e-7);
    EXPECT_NEAR(file.number(6), 1.0 - 1e-4, 3e-7);
    EXPECT_EQ(file.integer(87), 5);  // IUNKN: B is not 0
}

TEST(Sac, TimesBefore1970CountBackwards) {
    Trace trace = small_trace();
    trace.start_s = -0.25;

    const SacBytes file(trace);

    const std::int32_t expected[6] = {1969, 365, 23, 59, 59, 750};
    for (std::size_t i = 0; i < 6; ++i) {
        EXPECT_EQ(file.integer(70 + i), expected[i]) << i;
    }
}

TEST(Sac, SamplesOfFiftyNanosecondsKeepTheirInterval) {
    Trace trace = small_trace(2000, 5e-8);
    trace.start_s = 0.0;

    const SacBytes file(trace);

    EXPECT_EQ(file.number(0), 5e-8F);
    EXPECT_EQ(file.number(6), static_cast<float>(1999 * 5e-8));
}

TEST(Sac, PlacesAndEventAreWhereTheFormatHasThem) {
    Trace trace = small_trace();
    trace.station_place = {33.5, 135.25, 120.0};
    trace.event_place = {32.5, 136.5, -10000.0};
    trace.station_point = {1000.0, -2000.0, 30.0};
    trace.event_point = {4.0, 5.0, -6.0};
    trace.origin_after_start_s = -3.5;
    trace.event = "M8 ALONG TROUGH";
    trace.orientation = {90.0, 0.0};
    trace.path = {123456.0, 45.0, 226.0, 1.125};

    const SacBytes file(trace);

    EXPECT_EQ(file.number(50), 123.456F);  // DIST
    EXPECT_EQ(file.number(51), 45.0F);     // AZ
    EXPECT_EQ(file.number(52), 226.0F);    // BAZ
    EXPECT_EQ(file.number(53), 1.125F);    // GCARC
    EXPECT_EQ(file.number(57), 90.0F);     // CMPAZ
    EXPECT_EQ(file.number(58), 90.0F);     // CMPINC: from the vertical

    EXPECT_EQ(file.number(7), -3.5F);   // O
    EXPECT_EQ(file.number(31), 33.5F);  // STLA STLO STEL
    EXPECT_EQ(file.number(32), 135.25F);
    EXPECT_EQ(file.number(33), 120.0F);
    EXPECT_EQ(file.number(35), 32.5F);  // EVLA EVLO EVEL EVDP
    EXPECT_EQ(file.number(36), 136.5F);
    EXPECT_EQ(file.number(37), -12345.0F);
    EXPECT_EQ(file.number(38), 10.0F);
    const float user[7] = {1000.0F, -2000.0F, 30.0F, 4.0F, 5.0F, -6.0F, -12345.0F};
    for (std::size_t i = 0; i < 7; ++i) {
        EXPECT_EQ(file.number(40 + i), user[i]) << i;
    }
    EXPECT_EQ(file.integer(108), 1);  // LCALDA
    EXPECT_EQ(file.text(448, 16), "M8 ALONG TROUGH ");
}

TEST(Sac, FieldsWithoutValueAreUndefined) {
    Trace trace = small_trace();
    trace.location = "";

    const SacBytes file(trace);

    for (const std::size_t word : {3, 7, 8, 10, 31, 35, 40, 50, 57, 69}) {
        EXPECT_EQ(file.number(word), -12345.0F) << word;
    }
    for (const std::size_t word : {77, 80, 88, 104, 109}) {
        EXPECT_EQ(file.integer(word), -12345) << word;
    }
    EXPECT_EQ(file.text(448, 16), "-12345          ");
    EXPECT_EQ(file.text(464), "-12345  ");
    EXPECT_EQ(file.text(624), "-12345  ");
}

TEST(Sac, KindIsSacsOwnOnlyInItsUnits) {
    const std::pair<const char*, std::int32_t> kinds[] = {
        {"m", 5}, {"nm", 6}, {"nm/s", 7}, {"nm/s/s", 8}, {"V", 50}};
    for (const auto& [units, kind] : kinds) {
        Trace trace = small_trace();
        trace.units = units;

        const SacBytes file(trace);

        EXPECT_EQ(file.integer(86), kind) << units;
        EXPECT_EQ(file.text(576), (std::string(units) + "        ").substr(0, 8));
    }
}

void expect_refused(const Trace& trace, const std::vector<std::string>& parts) {
    const TemporaryFolder folder;
    const std::string path = folder.path() / "trace.sac";

    expect_error([&] { write_sac(path, trace); }, ErrorCode::InvalidArgument, parts);
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Sac, RefusesWhatItsFieldsDoNotHold) {
    Trace trace = small_trace();
    trace.station = "STATION10";
    expect_refused(trace, {"SAC station", "8", "STATION10"});

    trace = small_trace();
    trace.channel = "H\xc3\xa9";
    expect_refused(trace, {"SAC channel", "ASCII"});

    trace = small_trace();
    trace.event = "seventeen letters";
    expect_refused(trace, {"SAC event", "16"});

    trace = small_trace();
    trace.event_place = {91.0, 0.0, 0.0};
    expect_refused(trace, {"KN.ABC.00.HXZ", "latitude", "91"});

    trace = small_trace();
    trace.origin_after_start_s = std::numeric_limits<double>::infinity();
    expect_refused(trace, {"origin_after_start_s", "inf"});
}

TEST(Sac, RefusesTimesThatItCannotSay) {
    expect_refused(small_trace(0), {"values"});
    expect_refused(small_trace(5, 0.0), {"dt_s", "> 0"});
    expect_refused(small_trace(5, std::nan("")), {"dt_s", "nan"});
    Trace trace = small_trace();
    trace.start_s = 5e9;
    expect_refused(trace, {"start_s", "5e+09"});
    // 0.1 as a float is off by 1.5e-8 of it: a twentieth after 3.4 million samples.
    expect_refused(small_trace(4000000, 0.1), {"dt_s", "float", "4000000"});
    EXPECT_EQ(SacBytes(small_trace(3000000, 0.1)).integer(79), 3000000);
}

TEST(Sac, FolderThatIsNotThereIsNamed) {
    expect_error([] { write_sac(support::absent("folder/trace.sac"), small_trace()); },
                 ErrorCode::Unavailable, {support::absent("folder/trace.sac")});
}

}  // namespace
}  // namespace kaname::io::sac_test
