// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/waveforms/miniseed.hpp"

#ifdef KANAME_HAVE_MSEED
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>

#include <libmseed.h>

#include "solvers/base/files.hpp"
#include "solvers/base/text.hpp"
#include "solvers/io/waveforms/trace.hpp"
#endif

#include "solvers/base/error.hpp"

namespace kaname::io {

#ifdef KANAME_HAVE_MSEED

namespace {

constexpr double kMostInt16 = 32767.0;

[[noreturn]] void refuse_miniseed(const Trace& trace, const std::string& rule, double got) {
    throw Error(ErrorCode::InvalidArgument, "miniSEED, trace " + name_of(trace) + ": " + rule +
                                                ", got " + formatted("%.17g", got));
}

void plan_start(MiniSeedPlan& plan, const Trace& trace) {
    plan.start_us = std::llround(trace.start_s * 1e6);
    // A double in 2023 is itself no more exact than a quarter of a microsecond.
    const double size_s = std::abs(trace.start_s);
    const double spacing_s =
        std::nextafter(size_s, std::numeric_limits<double>::infinity()) - size_s;
    const double off_s = std::abs(trace.start_s - static_cast<double>(plan.start_us) / 1e6);
    if (off_s > kTimeTolerance * trace.dt_s + spacing_s) {
        refuse_miniseed(trace,
                        "start_s must be whole microseconds to within a twentieth of dt_s = " +
                            number(trace.dt_s),
                        trace.start_s);
    }
}

void plan_rate(MiniSeedPlan& plan, const Trace& trace) {
    plan.rate_hz = 1.0 / trace.dt_s;
    // Above 1 Hz factor x multiplier, below 1 / (factor x multiplier) with both negative.
    const double sign = plan.rate_hz >= 1.0 ? 1.0 : -1.0;
    const double product = sign > 0.0 ? plan.rate_hz : trace.dt_s;
    if (product > kMostInt16 * kMostInt16) {
        refuse_miniseed(trace, "dt_s must lie between 1/32767^2 s and 32767^2 s", trace.dt_s);
    }
    if (ms_genfactmult(plan.rate_hz, &plan.factor, &plan.multiplier) != 0) {
        const double multiplier = std::ceil(product / kMostInt16);
        plan.factor = static_cast<std::int16_t>(sign * std::round(product / multiplier));
        plan.multiplier = static_cast<std::int16_t>(sign * multiplier);
    } else if (keeps_time(trace, 1.0 / ms_nomsamprate(plan.factor, plan.multiplier))) {
        return;
    }
    plan.float_rate = true;
    if (!keeps_time(trace, 1.0 / static_cast<float>(plan.rate_hz))) {
        refuse_miniseed(
            trace,
            "1/dt_s must be a rate that two 16-bit integers or a float give, so that the last "
            "of " +
                std::to_string(trace.values.size()) +
                " samples moves by at most a twentieth of dt_s",
            trace.dt_s);
    }
}

void plan_records(MiniSeedPlan& plan, const Trace& trace) {
    // Fixed header 48 bytes, blockettes 1000 and 1001 of 8 each, 100 of 12.
    const std::int64_t most = (kMiniSeedRecord - 64 - (plan.float_rate ? 12 : 0)) / 4;
    const auto count = static_cast<std::int64_t>(trace.values.size());
    const double dt_us = trace.dt_s * 1e6;
    const bool rounding_is_fine = 0.5 <= kTimeTolerance * dt_us;
    for (std::int64_t n = most; n > 0; --n) {
        const double length_us = static_cast<double>(n) * dt_us;
        const double off_us = std::abs(length_us - std::round(length_us));
        const auto before_last = static_cast<double>((count - 1) / n);
        if (rounding_is_fine || before_last * off_us <= kTimeTolerance * dt_us) {
            plan.per_record = n;
            return;
        }
    }
    refuse_miniseed(trace,
                    "dt_s below 1e-05 must make some number of samples, at most " +
                        std::to_string(most) + ", last whole microseconds",
                    trace.dt_s);
}

}  // namespace

MiniSeedPlan plan_miniseed(const Trace& trace) {
    MiniSeedPlan plan;
    plan_start(plan, trace);
    plan_rate(plan, trace);
    plan_records(plan, trace);
    return plan;
}

namespace {

struct RecordDeleter {
    void operator()(MSRecord* record) const {
        record->datasamples = nullptr;  // the trace's
        msr_free(&record);
    }
};
using Record = std::unique_ptr<MSRecord, RecordDeleter>;

void check_miniseed(const Trace& trace) {
    check_times(trace);
    check_code("miniSEED network", trace.network, 0, 2);
    check_code("miniSEED station", trace.station, 1, 5);
    check_code("miniSEED location", trace.location, 0, 2);
    check_code("miniSEED channel", trace.channel, 1, 3);
}

void put_int16(char* at, std::int16_t value) {  // big endian
    const auto bits = static_cast<std::uint16_t>(value);
    at[0] = static_cast<char>(bits >> 8U);
    at[1] = static_cast<char>(bits & 0xFFU);
}

/// Where the library puts records.
struct Output {
    std::string& bytes;
    const MiniSeedPlan& plan;
};

void append(char* record, int length, void* to) {
    auto& [bytes, plan] = *static_cast<Output*>(to);
    if (plan.float_rate) {  // the library leaves these 0 where they cannot be exact
        put_int16(record + 32, plan.factor);
        put_int16(record + 34, plan.multiplier);
    }
    bytes.append(record, static_cast<std::size_t>(length));
}

template <class Blockette>
void add(MSRecord& record, int type, Blockette content) {
    if (msr_addblockette(&record, reinterpret_cast<char*>(&content), sizeof content, type, 0) ==
        nullptr) {
        throw Error(ErrorCode::Unavailable, "libmseed has no memory for a blockette");
    }
}

Record new_record(const Trace& trace, const MiniSeedPlan& plan) {
    Record record(msr_init(nullptr));
    if (record == nullptr) {
        throw Error(ErrorCode::Unavailable, "libmseed has no memory for a record");
    }
    trace.network.copy(record->network, 2);
    trace.station.copy(record->station, 5);
    trace.location.copy(record->location, 2);
    trace.channel.copy(record->channel, 3);
    record->dataquality = 'D';  // of unknown quality control
    record->reclen = kMiniSeedRecord;
    record->encoding = DE_FLOAT32;
    record->byteorder = 1;
    record->sampletype = 'f';
    record->samprate = plan.rate_hz;
    // The library fills them, but adds by itself only the first.
    add(*record, 1000, blkt_1000_s{});
    add(*record, 1001, blkt_1001_s{});
    if (plan.float_rate) {
        add(*record, 100, blkt_100_s{});
    }
    return record;
}

void append_trace(std::string& bytes, const Trace& trace) {
    const MiniSeedPlan plan = plan_miniseed(trace);
    const Record record = new_record(trace, plan);
    Output output{bytes, plan};
    const auto count = static_cast<std::int64_t>(trace.values.size());
    // Room beforehand, so that append() never throws through the library.
    const std::int64_t records_in_all = (count + plan.per_record - 1) / plan.per_record;
    bytes.reserve(bytes.size() + static_cast<std::size_t>(records_in_all) * kMiniSeedRecord);
    // A record at a time: the library alone would fill each and round where the next one starts.
    for (std::int64_t first = 0, index = 0; first < count; first += plan.per_record, ++index) {
        const std::int64_t samples = std::min(plan.per_record, count - first);
        record->sequence_number = static_cast<std::int32_t>(1 + index % 999999);
        record->starttime =
            plan.start_us + std::llround(static_cast<double>(first) * trace.dt_s * 1e6);
        record->datasamples = const_cast<float*>(trace.values.data() + first);  // only read
        record->numsamples = samples;
        std::int64_t packed = 0;
        const int records = msr_pack(record.get(), append, &output, &packed, 1, 0);
        if (records != 1 || packed != samples) {
            throw Error(ErrorCode::Internal, "libmseed made " + std::to_string(records) +
                                                 " records of " + std::to_string(packed) + " of " +
                                                 std::to_string(samples) + " samples of " +
                                                 name_of(trace));
        }
    }
}

}  // namespace

void write_miniseed(const std::string& path, std::span<const Trace> traces) {
    if (traces.empty()) {
        throw Error(ErrorCode::InvalidArgument, path + ": traces must hold one at least, got none");
    }
    std::string bytes;
    for (const Trace& trace : traces) {
        check_miniseed(trace);
        append_trace(bytes, trace);
    }
    write_file(path, bytes);
}

#else

void write_miniseed(const std::string& path, std::span<const Trace>) {
    throw Error(ErrorCode::Unavailable,
                path +
                    ": miniSEED needs a build with libmseed (Debian: libmseed-dev; configure "
                    "with KANAME_MSEED=ON)");
}

#endif

}  // namespace kaname::io
