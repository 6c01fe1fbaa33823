// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/waveforms/miniseed.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>

#ifdef KANAME_HAVE_MSEED
#include <libmseed.h>
#endif

#include "solvers/base/files.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/solvers/io/waveforms/small_trace.hpp"

namespace kaname::io::miniseed_test {
namespace {

#ifdef KANAME_HAVE_MSEED

struct Segment {
    std::string name;
    std::int64_t start_us = 0;
    double rate_hz = 0.0;
    std::vector<float> values;
};

/// A file that was just written: its bytes, and its traces as libmseed joins the records.
struct Written {
    explicit Written(const std::vector<Trace>& traces) {
        const TemporaryFolder folder;
        const std::string path = folder.path() / "traces.mseed";
        write_miniseed(path, traces);
        EXPECT_FALSE(std::filesystem::exists(path + ".part"));
        bytes = read_file_if_any(path);
        MSTraceGroup* group = nullptr;
        EXPECT_EQ(ms_readtraces(&group, path.c_str(), 0, -1.0, -1.0, 0, 0, 1, 0), MS_NOERROR);
        for (const MSTrace* one = group->traces; one != nullptr; one = one->next) {
            EXPECT_EQ(one->sampletype, 'f');
            const auto* samples = static_cast<const float*>(one->datasamples);
            segments.push_back({std::string(one->network) + "." + one->station + "." +
                                    one->location + "." + one->channel,
                                one->starttime,
                                one->samprate,
                                {samples, samples + one->numsamples}});
        }
        mst_freegroup(&group);
    }

    std::int64_t byte(std::size_t at) const { return static_cast<unsigned char>(bytes[at]); }
    std::int64_t two_bytes(std::size_t at) const { return 256 * byte(at) + byte(at + 1); }
    /// By BTIME and blockette 1001, without the library; days are those of 1970.
    std::int64_t start_us_of_record(std::size_t index) const {
        const std::size_t at = 512 * index;
        const std::int64_t seconds = ((two_bytes(at + 22) - 1) * 24 + byte(at + 24)) * 3600 +
                                     byte(at + 25) * 60 + byte(at + 26);
        std::size_t blockette = static_cast<std::size_t>(two_bytes(at + 46));
        while (blockette != 0 && two_bytes(at + blockette) != 1001) {
            blockette = static_cast<std::size_t>(two_bytes(at + blockette + 2));
        }
        EXPECT_NE(blockette, 0U) << "record " << index << " has no blockette 1001";
        return seconds * 1000000 + two_bytes(at + 28) * 100 +
               static_cast<signed char>(bytes[at + blockette + 5]);
    }

    std::string bytes;
    std::vector<Segment> segments;
};

TEST(MiniSeed, RecordIsBigEndianFloatsOf512Bytes) {
    const Written file({small_trace(3)});

    ASSERT_EQ(file.bytes.size(), 512U);
    EXPECT_EQ(file.bytes.substr(0, 20), "000001D ABC  00HXZKN");
    EXPECT_EQ(file.two_bytes(20), 2023);  // year, day, hour, minute, second, 0.1 ms
    EXPECT_EQ(file.two_bytes(22), 318);
    EXPECT_EQ(file.byte(24), 22);
    EXPECT_EQ(file.byte(25), 13);
    EXPECT_EQ(file.byte(26), 20);
    EXPECT_EQ(file.two_bytes(28), 0);
    EXPECT_EQ(file.two_bytes(30), 3);  // samples
    EXPECT_EQ(file.two_bytes(32), 4);  // factor, multiplier: 4 Hz
    EXPECT_EQ(file.two_bytes(34), 1);
    const auto data = static_cast<std::size_t>(file.two_bytes(44));
    EXPECT_EQ(file.bytes.substr(data, 12),
              std::string("\xbf\x80\x00\x00\xbf\x00\x00\x00\x00\x00\x00\x00", 12));  // -1, -0.5, 0
}

TEST(MiniSeed, LongTraceComesBackAsOneSegment) {
    const Trace trace = small_trace(100001, 0.01);

    const Written file({trace});

    ASSERT_EQ(file.segments.size(), 1U);
    EXPECT_EQ(file.bytes.size(), 512U * 893U);  // of 112 samples
    EXPECT_EQ(file.segments[0].name, "KN.ABC.00.HXZ");
    EXPECT_EQ(file.segments[0].start_us, 1700000000000000);
    EXPECT_EQ(file.segments[0].rate_hz, 100.0);
    EXPECT_EQ(file.segments[0].values, trace.values);
}

TEST(MiniSeed, SeveralTracesShareAFile) {
    std::vector<Trace> traces;
    for (const char* channel : {"HXE", "HXN", "HXZ"}) {
        traces.push_back(small_trace(200 + traces.size()));
        traces.back().channel = channel;
        traces.back().start_s += static_cast<double>(traces.size());
        traces.back().values[0] = static_cast<float>(traces.size());
    }
    traces[1].network = traces[1].location = "";

    const Written file(traces);

    ASSERT_EQ(file.segments.size(), 3U);
    EXPECT_EQ(file.segments[1].name, ".ABC..HXN");
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(file.segments[i].start_us, std::llround(traces[i].start_s * 1e6));
        EXPECT_EQ(file.segments[i].values, traces[i].values);
    }
}

TEST(MiniSeed, MicrosecondsOfTheStartAreKept) {
    for (const double start_s : {0.123456, 1700000000.123449, 12.000051, -0.499999}) {
        Trace trace = small_trace();
        trace.start_s = start_s;

        const Written file({trace});

        EXPECT_EQ(file.segments.at(0).start_us, std::llround(start_s * 1e6));
    }
}

TEST(MiniSeed, TwentyMegahertzAreExactInEveryRecord) {
    Trace trace = small_trace(2050, 5e-8);
    trace.start_s = 0.000123;

    const Written file({trace});

    ASSERT_EQ(file.bytes.size(), 512U * 21U);
    for (std::size_t record = 0; record < 21; ++record) {
        EXPECT_EQ(std::stoul(file.bytes.substr(512 * record, 6)), record + 1);
        EXPECT_EQ(file.two_bytes(512 * record + 30), record < 20 ? 100 : 50) << record;
        EXPECT_EQ(file.two_bytes(512 * record + 32) * file.two_bytes(512 * record + 34), 20000000);
        EXPECT_EQ(file.start_us_of_record(record), 123 + 5 * static_cast<std::int64_t>(record));
    }
    ASSERT_EQ(file.segments.size(), 1U);
    EXPECT_EQ(file.segments[0].rate_hz, 2e7);
    EXPECT_EQ(file.segments[0].values, trace.values);
}

TEST(MiniSeed, RatesThatIntegersDoNotMakeAreFloats) {
    Trace trace = small_trace(20000, 3e-5);  // 33333.3 Hz
    trace.start_s = 0.0;

    const Written file({trace});

    EXPECT_EQ(file.two_bytes(32), 16667);  // what comes close: 33334 Hz
    EXPECT_EQ(file.two_bytes(34), 2);
    EXPECT_EQ(file.two_bytes(48), 1000);
    EXPECT_EQ(file.two_bytes(56), 1001);
    EXPECT_EQ(file.two_bytes(64), 100);
    ASSERT_EQ(file.segments.size(), 1U);
    EXPECT_EQ(file.segments[0].rate_hz, static_cast<float>(1.0 / 3e-5));
    EXPECT_EQ(file.segments[0].values, trace.values);
}

TEST(MiniSeed, RateIsAFloatOnlyWhereThePairIsTooFarOffForTheLength) {
    // The pair 30137 / 22 is off by 4.5e-7 of 1 / 7.3e-4 Hz: a twentieth after 110 000 samples.
    const Written shorter({small_trace(100000, 7.3e-4)});
    const Written longer({small_trace(200000, 7.3e-4)});

    EXPECT_EQ(shorter.segments.at(0).rate_hz, 30137.0 / 22.0);
    EXPECT_EQ(longer.segments.at(0).rate_hz, static_cast<float>(1.0 / 7.3e-4));
    EXPECT_EQ(longer.segments[0].values, small_trace(200000, 7.3e-4).values);
}

TEST(MiniSeed, LongIntervalsThatIntegersDoNotMakeAreFloats) {
    const Written file({small_trace(3, 37000.037)});

    EXPECT_EQ(file.two_bytes(32), 65536 - 18500);  // 1 / (18500 x 2) Hz
    EXPECT_EQ(file.two_bytes(34), 65536 - 2);
    EXPECT_EQ(file.segments.at(0).rate_hz, static_cast<float>(1.0 / 37000.037));
}

TEST(MiniSeed, RecordsStartWhereTheirSamplesAre) {
    for (const double dt_s : {1.0301e-5, 0.0123456789, 3.7, 1.25e-6, 2e-6}) {
        Trace trace = small_trace(5000, dt_s);
        trace.start_s = 0.0;

        const Written file({trace});

        ASSERT_EQ(file.segments.size(), 1U) << dt_s;
        EXPECT_EQ(file.segments[0].values, trace.values);
        if (dt_s > 1e-5) {  // microseconds are fine enough: full ones, with a blockette 100 or not
            EXPECT_GE(file.two_bytes(30), 109) << dt_s;
        }
        double first = 0.0;
        for (std::size_t record = 0; record < file.bytes.size() / 512; ++record) {
            ASSERT_NEAR(static_cast<double>(file.start_us_of_record(record)), first * dt_s * 1e6,
                        std::max(0.51, 0.05 * dt_s * 1e6));
            first += static_cast<double>(file.two_bytes(512 * record + 30));
        }
    }
}

void expect_refused(const Trace& trace, const std::vector<std::string>& parts) {
    const TemporaryFolder folder;
    const std::string path = folder.path() / "traces.mseed";
    const std::vector<Trace> traces{small_trace(), trace};

    expect_error([&] { write_miniseed(path, traces); }, ErrorCode::InvalidArgument, parts);
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(MiniSeed, RefusesCodesThatAreTooLongOrSmall) {
    Trace trace = small_trace();
    trace.network = "KAN";
    expect_refused(trace, {"miniSEED network", "0 to 2", "KAN"});
    trace = small_trace();
    trace.station = "ABCDEF";
    expect_refused(trace, {"miniSEED station", "1 to 5", "ABCDEF"});
    trace = small_trace();
    trace.station = "abc";
    expect_refused(trace, {"miniSEED station", "capital", "abc"});
    trace = small_trace();
    trace.location = "000";
    expect_refused(trace, {"miniSEED location", "0 to 2", "000"});
    trace = small_trace();
    trace.channel = "";
    expect_refused(trace, {"miniSEED channel", "1 to 3", "''"});
}

TEST(MiniSeed, RefusesTimesThatItCannotSay) {
    Trace trace = small_trace(5, 1e-6);
    trace.start_s = 0.3e-6;
    expect_refused(trace, {"KN.ABC.00.HXZ", "start_s", "whole microseconds", "2.99"});
    // 33 ns: only every 1000 samples are whole microseconds.
    trace = small_trace(5000, 3.3e-8);
    trace.start_s = 0.0;
    expect_refused(trace, {"dt_s", "109", "whole microseconds"});
    // As a float 33333.3 Hz are off by 1e-8: a twentieth of a sample after 5 million.
    expect_refused(small_trace(6000000, 3e-5), {"1/dt_s", "6000000", "16-bit", "float"});
    expect_refused(small_trace(5, 5e-10), {"dt_s", "32767^2", "5.0"});
    expect_refused(small_trace(5, -1.0), {"dt_s", "> 0"});
    expect_refused(small_trace(0), {"values"});
}

TEST(MiniSeed, RefusesNoTraces) {
    expect_error([] { write_miniseed("none.mseed", {}); }, ErrorCode::InvalidArgument, {"traces"});
}

TEST(MiniSeed, FolderThatIsNotThereIsNamed) {
    const std::vector<Trace> traces{small_trace()};

    expect_error([&] { write_miniseed(support::absent("folder/a.mseed"), traces); },
                 ErrorCode::Unavailable, {support::absent("folder/a.mseed")});
}

#else

TEST(MiniSeed, BuildWithoutTheLibrarySaysWhatIsLacking) {
    const std::vector<Trace> traces{small_trace()};

    expect_error([&] { write_miniseed("a.mseed", traces); }, ErrorCode::Unavailable,
                 {"libmseed", "KANAME_MSEED"});
}

#endif

}  // namespace
}  // namespace kaname::io::miniseed_test
