// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace kaname {

/// While it lives this thread takes numbers too small to be normal (below 1e-38 in single
/// precision) for 0: processors compute with them many times slower, and the foot of a wave is made
/// of them.
class FlushDenormals {
public:
#ifdef __SSE__
    FlushDenormals() : before_(__builtin_ia32_stmxcsr()) {
        constexpr unsigned kFlushToZero = 0x8000, kDenormalsAreZero = 0x0040;
        __builtin_ia32_ldmxcsr(before_ | kFlushToZero | kDenormalsAreZero);
    }
    ~FlushDenormals() {
        __builtin_ia32_ldmxcsr(before_);
    }
#else
    FlushDenormals() = default;
#endif
    FlushDenormals(const FlushDenormals&) = delete;
    FlushDenormals& operator=(const FlushDenormals&) = delete;

#ifdef __SSE__
private:
    unsigned before_;
#endif
};

}  // namespace kaname
