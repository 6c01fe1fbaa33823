// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

namespace kaname::device {

/// Runs something once for each GPU of this process, whichever thread comes first; two that come
/// together may both run it. For settings that belong to a device and cost a host call.
class OncePerDevice {
public:
    template <class Work>
    void run(int device, const Work& work) {
        const std::uint64_t bit = std::uint64_t{1} << (static_cast<unsigned>(device) % 64U);
        const bool known = device >= 0 && device < 64;
        if (known && (done_.load(std::memory_order_acquire) & bit) != 0) {
            return;
        }
        work();  // throws: not done
        if (known) {
            done_.fetch_or(bit, std::memory_order_release);
        }
    }

private:
    std::atomic<std::uint64_t> done_{0};
};

}  // namespace kaname::device
