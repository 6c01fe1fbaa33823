// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/emulated_cuda/emulator.cuh"

#include <cstdio>
#include <cstdlib>
#include <memory>

thread_local kaname::emulated::Index threadIdx, blockIdx, blockDim, gridDim;

// Saves what a function must keep, and the stack, at *save, and goes on with another stack.
extern "C" void kaname_emulated_switch(void** save, void* stack);
asm(R"(
.text
.globl kaname_emulated_switch
kaname_emulated_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
)");

namespace kaname::emulated {
namespace {

// These limits are those of an H100.
constexpr unsigned kMostThreads = 1024;
constexpr std::size_t kMostShared = 232448;
constexpr unsigned kMostBlocks = 2147483647;
constexpr unsigned kWarp = 32;
constexpr std::size_t kStackBytes = 64 * 1024;

enum class Wait { None, Block, Warp, Done };

struct Thread {
    std::unique_ptr<void, decltype(&std::free)> memory{std::aligned_alloc(64, kStackBytes),
                                                       &std::free};
    void* stack = nullptr;
    Wait wait = Wait::Done;
};

[[noreturn]] void fail(const char* what) {
    std::fprintf(stderr, "emulated kernel: %s\n", what);
    std::abort();
}

/// The block that runs on a thread of the CPU.
class Block {
public:
    void run(const Launch& launch, void (*thread)(const void*), const void* kernel) {
        thread_ = thread;
        kernel_ = kernel;
        n_ = launch.threads;
        while (threads_.size() < n_) {
            threads_.emplace_back();
        }
        shared_.resize(launch.shared + 64);
        for (blockIdx.x = 0; blockIdx.x < launch.blocks; ++blockIdx.x) {
            std::fill(shared_.begin(), shared_.end(), static_cast<char>(0xff));
            for (unsigned t = 0; t < n_; ++t) {
                start(threads_[t]);
            }
            while (go_on()) {
            }
        }
    }
    void wait(Wait what) {
        Thread& mine = threads_[current_];
        mine.wait = what;
        kaname_emulated_switch(&mine.stack, scheduler_);
    }
    void* shared() {
        return reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(shared_.data()) + 63) &
                                       ~std::uintptr_t{63});
    }
    void* place(unsigned lane) { return places_[threadIdx.x / kWarp * kWarp + lane]; }

private:
    static void enter();

    static void start(Thread& thread) {
        thread.wait = Wait::None;
        auto** top =
            reinterpret_cast<void**>(static_cast<char*>(thread.memory.get()) + kStackBytes - 64);
        *--top = nullptr;  // where a caller's address would be
        *--top = reinterpret_cast<void*>(&Block::enter);
        top -= 6;  // the registers that the switch takes from it
        std::fill_n(top, 6, nullptr);
        thread.stack = top;
    }
    /// Every thread that waits for none; then those whose others have come. False: all are done.
    bool go_on() {
        for (unsigned t = 0; t < n_; ++t) {
            if (threads_[t].wait == Wait::None) {
                current_ = t;
                threadIdx.x = t;
                kaname_emulated_switch(&scheduler_, threads_[t].stack);
            }
        }
        bool released = false;
        for (unsigned warp = 0; warp < n_; warp += kWarp) {
            released = release(warp, std::min(n_, warp + kWarp), Wait::Warp) || released;
        }
        if (released || release(0, n_, Wait::Block)) {
            return true;
        }
        for (unsigned t = 0; t < n_; ++t) {
            if (threads_[t].wait != Wait::Done) {
                fail("threads wait for others that do not come");
            }
        }
        return false;
    }
    /// Lets [begin, end) go on when all of them that are not done wait for the same.
    bool release(unsigned begin, unsigned end, Wait what) {
        bool any = false;
        for (unsigned t = begin; t < end; ++t) {
            if (threads_[t].wait != Wait::Done && threads_[t].wait != what) {
                return false;
            }
            any = any || threads_[t].wait == what;
        }
        for (unsigned t = begin; t < end && any; ++t) {
            threads_[t].wait = threads_[t].wait == what ? Wait::None : Wait::Done;
        }
        return any;
    }

    void (*thread_)(const void*) = nullptr;
    const void* kernel_ = nullptr;
    unsigned n_ = 0;
    unsigned current_ = 0;
    void* scheduler_ = nullptr;
    std::vector<Thread> threads_;
    std::vector<char> shared_;
    char places_[kMostThreads][16];
};

Block& block() {
    thread_local Block mine;
    return mine;
}

void Block::enter() {
    Block& mine = block();
    mine.thread_(mine.kernel_);
    mine.wait(Wait::Done);
    fail("a thread goes on behind its end");
}

}  // namespace

thread_local Recorded* capture = nullptr;

void run(const Launch& launch, void (*thread)(const void*), const void* kernel) {
    if (launch.blocks == 0 || launch.blocks > kMostBlocks || launch.threads == 0 ||
        launch.threads > kMostThreads || launch.shared > kMostShared) {
        fail("a launch that no GPU takes");
    }
    gridDim.x = launch.blocks;
    blockDim.x = launch.threads;
    block().run(launch, thread, kernel);
}

void* shared_memory() {
    return block().shared();
}
void wait_for_block() {
    block().wait(Wait::Block);
}
bool any_of_block(bool mine) {
    static thread_local bool any = false;
    wait_for_block();  // all have read the last one's
    any = false;
    wait_for_block();
    any = any || mine;
    wait_for_block();
    return any;
}
void wait_for_warp() {
    block().wait(Wait::Warp);
}
void* place_of_lane(unsigned lane) {
    return block().place(lane);
}

}  // namespace kaname::emulated
