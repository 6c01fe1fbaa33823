// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/waveforms/miniseed.hpp"

#ifdef KANAME_HAVE_MSEED
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>

#include <libmseed.h>

#include "solvers/base/files.hpp"
#include "solvers/io/waveforms/miniseed_plan.hpp"
#include "solvers/io/waveforms/trace.hpp"
#endif

#include "solvers/base/error.hpp"

namespace kaname::io {

#ifdef KANAME_HAVE_MSEED

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
