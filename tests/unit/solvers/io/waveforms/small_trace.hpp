// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/io/waveforms/trace.hpp"

namespace kaname::io {

/// `count` samples, each with a value of its own, from 2023-11-14T22:13:20.
inline Trace small_trace(std::size_t count = 5, double dt_s = 0.25) {
    Trace trace;
    trace.network = "KN";
    trace.station = "ABC";
    trace.location = "00";
    trace.channel = "HXZ";
    trace.start_s = 1700000000.0;
    trace.dt_s = dt_s;
    for (std::size_t i = 0; i < count; ++i) {
        trace.values.push_back(0.5F * static_cast<float>(i) - 1.0F);
    }
    return trace;
}

/// That `call` throws `code` with all of `parts` in its message.
inline void expect_error(const std::function<void()>& call, ErrorCode code,
                         const std::vector<std::string>& parts) {
    try {
        call();
        ADD_FAILURE() << "nothing thrown, expected " << to_string(code);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), code) << error.what();
        for (const std::string& part : parts) {
            EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
                << "'" << part << "' is not in: " << error.what();
        }
    }
}

}  // namespace kaname::io
