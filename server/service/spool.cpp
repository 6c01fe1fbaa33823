// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/spool.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>

#include "solvers/base/error.hpp"

namespace kaname::service {

void Spool::append(std::string_view piece) {
    if (!file_.open() && bytes_ + piece.size() <= kInMemory) {
        memory_ += piece;
    } else {
        if (!file_.open()) {
            std::error_code failed;
            std::filesystem::create_directories(folder_, failed);
            std::string name = (folder_ / "batch-XXXXXX").string();
            file_ = Fd(::mkostemp(name.data(), O_CLOEXEC));
            if (!file_.open()) {
                throw Error(ErrorCode::Exhausted,
                            folder_.string() + ": a batch cannot be kept: " + std::strerror(errno));
            }
            ::unlink(name.c_str());
            write(memory_);
            memory_ = {};
        }
        write(piece);
    }
    bytes_ += piece.size();
}

void Spool::write(std::string_view piece) {
    while (!piece.empty()) {
        const ssize_t n = ::write(file_.get(), piece.data(), piece.size());
        if (n < 0 && errno != EINTR) {
            throw Error(ErrorCode::Exhausted,
                        folder_.string() + ": a batch cannot be kept: " + std::strerror(errno));
        }
        piece.remove_prefix(n > 0 ? static_cast<std::size_t>(n) : 0);
    }
}

std::string Spool::next(std::size_t n) {
    std::string text(n, '\0');
    std::size_t filled = 0;
    if (!file_.open()) {
        filled = memory_.copy(text.data(), n, read_);
    }
    while (file_.open() && filled < n) {
        const ssize_t got = ::pread(file_.get(), text.data() + filled, n - filled,
                                    static_cast<off_t>(read_ + filled));
        if (got == 0 || (got < 0 && errno != EINTR)) {
            break;
        }
        filled += got > 0 ? static_cast<std::size_t>(got) : 0;
    }
    if (filled != n) {
        throw Error(ErrorCode::Internal, folder_.string() + ": a batch has fewer bytes than came");
    }
    read_ += n;
    return text;
}

}  // namespace kaname::service
