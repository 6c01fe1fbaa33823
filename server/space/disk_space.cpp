// SPDX-License-Identifier: BSD-3-Clause
#include "server/space/disk_space.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <map>

#include <sys/statvfs.h>

#include "proto/reason/reasoned_error.hpp"
#include "solvers/base/error.hpp"

namespace kaname::space {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30U;
constexpr double kLargest = 1e18;  // bytes; beyond it a double no longer fits their number

std::uint64_t part_of(std::uint64_t total, double percent) {
    return static_cast<std::uint64_t>(static_cast<double>(total) * percent / 100.0);
}

}  // namespace

Watermark parse_watermark(const std::string& option, const std::string& text) {
    static const std::map<std::string, double> kUnits = {
        {"kB", 1e3},     {"MB", 1e6},        {"GB", 1e9},           {"TB", 1e12},
        {"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 1073741824.0}, {"TiB", 1099511627776.0}};
    if (text == "auto") {
        return {};
    }
    double value = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string unit(end, text.data() + text.size());
    if (failed == std::errc() && value >= 0) {
        if (unit == "%" && value < 100) {
            return {false, value, 0};
        }
        if (const auto known = kUnits.find(unit);
            known != kUnits.end() && value * known->second <= kLargest) {
            return {false, 0, static_cast<std::uint64_t>(value * known->second)};
        }
    }
    throw Error(ErrorCode::InvalidArgument,
                option +
                    " must be auto, a part below 100% or a size in kB, MB, GB, TB, KiB, MiB, "
                    "GiB or TiB, as in 5% or 20GB, got \"" +
                    text.substr(0, 40) + '"');
}

std::uint64_t low_bytes(const Watermark& mark, std::uint64_t total) {
    if (mark.automatic) {
        return std::min(std::max(part_of(total, 2), kGiB), part_of(total, 10));
    }
    return mark.percent > 0 ? part_of(total, mark.percent) : mark.bytes;
}

std::uint64_t high_bytes(const Watermark& mark, std::uint64_t total) {
    const std::uint64_t low = low_bytes(mark, total);
    return low + low / 4;
}

namespace {

using Clock = std::chrono::steady_clock;

std::string text_of(const FolderSpace& room) {
    return "folder " + room.folder.string() + " of the " + room.what + ": " +
           std::to_string(room.free) + " bytes free";
}

}  // namespace

Measure measure(const std::filesystem::path& folder) {
    struct statvfs info {};
    if (::statvfs(folder.c_str(), &info) != 0) {
        throw Error(ErrorCode::Unavailable,
                    folder.string() + ": cannot be measured: " + std::strerror(errno));
    }
    return {static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize,
            static_cast<std::uint64_t>(info.f_blocks) * info.f_frsize};
}

DiskSpace::DiskSpace(std::vector<Place> places, DiskSpaceOptions options)
    : options_(std::move(options)) {
    for (Place& place : places) {
        folders_.push_back({.what = std::move(place.what), .folder = std::move(place.folder)});
    }
}

void DiskSpace::look() {
    const auto now = Clock::now();
    if (ever_ && now - looked_ < options_.fresh) {
        return;
    }
    ever_ = true;
    looked_ = now;
    std::string shortage;
    for (FolderSpace& room : folders_) {
        std::string trouble;
        try {
            const Measure found = options_.measure(room.folder);
            room.free = found.free;
            room.total = found.total;
            room.low = low_bytes(options_.watermark, found.total);
            const std::uint64_t wanted =
                room.paused ? high_bytes(options_.watermark, found.total) : room.low;
            room.paused = found.free < wanted;
            if (room.paused) {
                trouble = text_of(room) + ", " + std::to_string(wanted) +
                          " needed for anything new to begin";
            }
        } catch (const std::exception& error) {  // nothing can be stored there now
            room.paused = true;
            trouble = error.what();
        }
        if (!trouble.empty() && shortage.empty()) {
            shortage = trouble;
        }
    }
    if (options_.log && shortage.empty() != shortage_.empty()) {
        options_.log(shortage.empty() ? "there is room again: work goes on"
                                      : "no task starts and no submit is taken: " + shortage);
    }
    shortage_ = shortage;
}

std::string DiskSpace::shortage() {
    const std::lock_guard lock(mutex_);
    look();
    return shortage_;
}

void DiskSpace::check(std::uint64_t needed) {
    const std::lock_guard lock(mutex_);
    look();
    if (!shortage_.empty()) {
        throw rpc::ReasonedError(ErrorCode::Exhausted, rpc::kDiskFull,
                                 shortage_ + "; " + std::to_string(needed) +
                                     " bytes are asked for. Try again when there is room");
    }
    for (const FolderSpace& room : folders_) {
        if (room.what == kArtifacts && room.free - room.low < needed) {
            throw rpc::ReasonedError(ErrorCode::Exhausted, rpc::kDiskFull,
                                     text_of(room) + ", " + std::to_string(needed) +
                                         " needed, and " + std::to_string(room.low) +
                                         " must stay free");
        }
    }
}

std::vector<FolderSpace> DiskSpace::folders() {
    const std::lock_guard lock(mutex_);
    look();
    return folders_;
}

}  // namespace kaname::space
