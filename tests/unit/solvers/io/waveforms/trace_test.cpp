// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/waveforms/trace.hpp"

#include "tests/unit/solvers/io/waveforms/small_trace.hpp"

namespace kaname::io::trace_test {
namespace {

TEST(UtcTime, IsReadWithOrWithoutTimeOfDayAndFraction) {
    EXPECT_EQ(utc_seconds("t", "1970-01-01"), 0.0);
    EXPECT_EQ(utc_seconds("t", "2016-11-13T11:02:56Z"), 1479034976.0);
    EXPECT_EQ(utc_seconds("t", "2016-11-13 11:02"), 1479034920.0);
    EXPECT_DOUBLE_EQ(utc_seconds("t", "1969-12-31T23:59:59.25Z"), -0.75);
    EXPECT_EQ(utc_text(1479034976.34), "2016-11-13T11:02:56.340000Z");
    EXPECT_EQ(utc_text(-0.75), "1969-12-31T23:59:59.250000Z");
}

TEST(UtcTime, IsRefusedWhereItIsNone) {
    for (const char* text : {"", "yesterday", "2016-13-01", "2016-02-30", "2016-11-13T24:00:00",
                             "1850-01-01", "2016-11-13T11:02:60Z", "2016-11-13T11:02:56+09:00"}) {
        expect_error([&] { (void)utc_seconds("--origin-time", text); }, ErrorCode::InvalidArgument,
                     {"--origin-time: must be a time of UTC", text});
    }
}

}  // namespace
}  // namespace kaname::io::trace_test
