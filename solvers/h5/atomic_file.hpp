// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

#include "solvers/h5/file.hpp"

namespace kaname::h5 {

/// A file that appears under its name only when it is complete: it is written as `path`.part, which
/// commit() flushes to disk and renames; the folder is flushed too. Without commit() the part file
/// is removed again. Throws Unavailable naming the path when the system refuses; then there is no
/// file.
class AtomicFile {
public:
    explicit AtomicFile(std::string path);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    [[nodiscard]] File& file() { return file_; }
    void commit();

private:
    std::string path_, part_;
    File file_;
    bool done_ = false;
};

/// Lets `fill` write `path`.part, then flushes it to disk, renames it to `path` and flushes the
/// folder: a reader sees the old file, the new file, or none, never half a file. When `fill` throws
/// the part file is removed. Throws Unavailable naming the path when the system refuses.
void write_atomically(const std::string& path, const std::function<void(File&)>& fill);

}  // namespace kaname::h5
