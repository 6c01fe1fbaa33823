// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "server/space/watermark.hpp"

namespace kaname::space {

struct Measure {
    std::uint64_t free = 0, total = 0;  ///< bytes; free: for who is not root
};

/// Measures the file system that holds `folder`. Throws Unavailable naming it.
[[nodiscard]] Measure measure(const std::filesystem::path& folder);

/// Names the folder that uploads go to, as Room::Place::what.
inline constexpr const char* kArtifacts = "artifacts";

/// One folder and the room that its file system has.
struct FolderRoom {
    std::string what;  ///< for people and metrics: "artifacts", "database"
    std::filesystem::path folder;
    std::uint64_t free = 0, total = 0, low = 0;  ///< bytes
    bool paused = false;                         ///< below the watermark, or not yet well above
};

struct RoomOptions {
    Watermark watermark;
    std::function<Measure(const std::filesystem::path&)> measure = space::measure;
    std::function<void(const std::string&)> log = {};  ///< a line when work pauses and goes on
    std::chrono::milliseconds fresh{1000};             ///< a measurement is good for so long
};

/// Decides whether there is space to begin something new. Safe from any thread; measures when it is
/// asked and the last measurement is old.
class Room {
public:
    struct Place {
        std::string what;
        std::filesystem::path folder;
    };
    Room(std::vector<Place> places, RoomOptions options);

    /// Why nothing that writes may begin; empty: there is room.
    [[nodiscard]] std::string shortage();
    /// Throws Exhausted naming folder, free and needed bytes unless `needed` more bytes can be
    /// stored and the watermark stays free.
    void check(std::uint64_t needed);
    [[nodiscard]] std::vector<FolderRoom> folders();

private:
    void look();

    RoomOptions options_;
    std::mutex mutex_;
    std::vector<FolderRoom> folders_;
    std::string shortage_;
    std::chrono::steady_clock::time_point looked_{};
    bool ever_ = false;
};

}  // namespace kaname::space
