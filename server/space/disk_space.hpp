// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace kaname::space {

/// How much of a file system must stay free: bytes, or a part of it.
struct Watermark {
    /// 2 % of the file system and 1 GiB at least, but of small ones a tenth.
    bool automatic = true;
    double percent = 0;
    std::uint64_t bytes = 0;  ///< where percent is 0
};

/// "auto", "5%", "800MB", "20GiB"; throws InvalidArgument naming `option` on anything else.
[[nodiscard]] Watermark parse_watermark(const std::string& option, const std::string& text);
/// With less free nothing new begins on a file system of `total` bytes ...
[[nodiscard]] std::uint64_t low_bytes(const Watermark& mark, std::uint64_t total);
/// ... until this much is free again: work does not stop and go with every file.
[[nodiscard]] std::uint64_t high_bytes(const Watermark& mark, std::uint64_t total);

struct Measure {
    std::uint64_t free = 0, total = 0;  ///< bytes; free: for who is not root
};

/// Measures the file system that holds `folder`. Throws Unavailable naming it.
[[nodiscard]] Measure measure(const std::filesystem::path& folder);

/// Names the folder that uploads go to, as DiskSpace::Place::what.
inline constexpr const char* kArtifacts = "artifacts";

/// One folder and the room that its file system has.
struct FolderSpace {
    std::string what;  ///< for people and metrics: "artifacts", "database"
    std::filesystem::path folder;
    std::uint64_t free = 0, total = 0, low = 0;  ///< bytes
    bool paused = false;                         ///< below the watermark, or not yet well above
};

struct DiskSpaceOptions {
    Watermark watermark;
    std::function<Measure(const std::filesystem::path&)> measure = space::measure;
    std::function<void(const std::string&)> log = {};  ///< a line when work pauses and goes on
    std::chrono::milliseconds fresh{1000};             ///< a measurement is good for so long
};

/// Decides whether there is space to begin something new. Safe from any thread; measures when it is
/// asked and the last measurement is old.
class DiskSpace {
public:
    struct Place {
        std::string what;
        std::filesystem::path folder;
    };
    DiskSpace(std::vector<Place> places, DiskSpaceOptions options);

    /// Why nothing that writes may begin; empty: there is room.
    [[nodiscard]] std::string shortage();
    /// Throws Exhausted naming folder, free and needed bytes unless `needed` more bytes can be
    /// stored and the watermark stays free.
    void check(std::uint64_t needed);
    [[nodiscard]] std::vector<FolderSpace> folders();

private:
    void look();

    DiskSpaceOptions options_;
    std::mutex mutex_;
    std::vector<FolderSpace> folders_;
    std::string shortage_;
    std::chrono::steady_clock::time_point looked_{};
    bool ever_ = false;
};

}  // namespace kaname::space
