// SPDX-License-Identifier: BSD-3-Clause
// Sums of shared items that pass from GPU to GPU: the same bits as through the host and on CPUs.
#include <cmath>
#include <numeric>

#include "solvers/lanes/lanes.hpp"
#include "solvers/linalg/halo_sum.hpp"
#include "tests/gpu/gpu_test.hpp"
#include "tests/support/thread_comm/thread_comm.hpp"

namespace kaname::halo_gpu_test {
namespace {

/// Ranks as threads whose messages may lie in a GPU's memory, as CUDA-aware MPI takes them.
class DeviceComm final : public comm::Comm {
public:
    DeviceComm(comm::Comm& ranks, device::Queue& queue) : ranks_(ranks), queue_(queue) {}

    [[nodiscard]] bool takes_device_memory() const override { return true; }
    void start_exchange(std::span<const comm::Message> sends,
                        std::span<const comm::Message> receives) override {
        receives_.assign(receives.begin(), receives.end());
        host_.clear();
        for (const comm::Message& send : sends) {
            device::copy_to_host(host_of(send).data(), send.data.data(), send.data.size(), queue_);
        }
        const std::size_t sent = host_.size();
        for (const comm::Message& receive : receives) {
            (void)host_of(receive);
        }
        std::vector<comm::Message> out, in;
        for (std::size_t k = 0; k < host_.size(); ++k) {
            (k < sent ? out : in).push_back({host_[k].first, host_[k].second});
        }
        bytes +=
            std::accumulate(out.begin(), out.end(), std::size_t{0},
                            [](std::size_t sum, const auto& m) { return sum + m.data.size(); });
        first_receive_ = sent;
        ranks_.start_exchange(out, in);
    }
    void finish_exchange() override {
        ranks_.finish_exchange();
        for (std::size_t k = 0; k < receives_.size(); ++k) {
            const comm::Bytes& came = host_[first_receive_ + k].second;
            device::copy_to_device(receives_[k].data.data(), came.data(), came.size(), queue_);
        }
        queue_.synchronize();
    }
    std::size_t bytes = 0;  ///< sent so far

    [[nodiscard]] int rank() const override { return ranks_.rank(); }
    [[nodiscard]] int size() const override { return ranks_.size(); }
    void barrier() override { ranks_.barrier(); }
    void sum(std::span<double> values) override { ranks_.sum(values); }
    void max(std::span<double> values) override { ranks_.max(values); }
    void broadcast(comm::Bytes& data, int root) override { ranks_.broadcast(data, root); }
    [[nodiscard]] std::vector<comm::Bytes> all_to_all(
        const std::vector<comm::Bytes>& outgoing) override {
        return ranks_.all_to_all(outgoing);
    }
    [[nodiscard]] std::vector<comm::Bytes> all_gather(const comm::Bytes& mine) override {
        return ranks_.all_gather(mine);
    }

private:
    comm::Bytes& host_of(const comm::Message& message) {
        return host_.emplace_back(message.peer, comm::Bytes(message.data.size())).second;
    }

    comm::Comm& ranks_;
    device::Queue& queue_;
    std::vector<comm::Message> receives_;
    std::vector<std::pair<int, comm::Bytes>> host_;
    std::size_t first_receive_ = 0;
};

class HaloGpu : public GpuTest {
protected:
    static constexpr int kWidth = 3 * lanes::kLanes;

    /// Sums of `values` on a queue, by a halo over these ids.
    template <class T>
    static std::vector<T> summed(comm::Comm& comm, std::span<const std::int64_t> ids,
                                 const std::vector<T>& values, device::Queue& queue) {
        comm::Halo halo(comm, ids);
        linalg::HaloSum sum(halo, queue);
        device::Buffer<T> x(std::span<const T>(values), queue);
        sum.sum(x.view(), kWidth, queue);
        std::vector<T> result(values.size());
        device::download<T>(x, result, queue);
        return result;
    }

    /// Items 0 to 5 on all of four ranks, others on two or on one, in another order on each.
    template <class T>
    void expect_the_same_bits() {
        comm::run_as_threads(4, [&](comm::Comm& ranks) {
            const int rank = ranks.rank();
            std::vector<std::int64_t> ids;
            for (std::int64_t id = 0; id < 40; ++id) {
                if (id < 6 || id % 4 == rank || id % 3 == rank) {
                    ids.push_back(id);
                }
            }
            std::rotate(ids.begin(), ids.begin() + rank, ids.end());
            std::vector<T> values(ids.size() * kWidth);
            for (std::size_t k = 0; k < values.size(); ++k) {
                values[k] = static_cast<T>(std::sin(0.37 * double(k) + rank) * (k % 7 ? 1 : 1e6));
            }
            device::Queue cpu, gpu(device::Backend::Cuda);
            DeviceComm direct(ranks, gpu);

            const std::vector<T> expected = summed(ranks, ids, values, cpu);
            EXPECT_NE(expected, values);
            EXPECT_EQ(summed(ranks, ids, values, gpu), expected);
            EXPECT_EQ(summed(direct, ids, values, gpu), expected);
            EXPECT_GT(direct.bytes, 6 * 3 * kWidth * sizeof(T));
        });
    }
};

TEST_F(HaloGpu, SumsFromGpuToGpuHaveTheBitsOfTheHosts) {
    expect_the_same_bits<float>();
    expect_the_same_bits<double>();
}

TEST_F(HaloGpu, NothingIsAllocatedAfterTheFirstSum) {
    comm::run_as_threads(2, [&](comm::Comm& ranks) {
        const std::vector<std::int64_t> ids = {0, 1, 2, 3 + ranks.rank()};
        device::Queue gpu_of_rank(device::Backend::Cuda);
        DeviceComm direct(ranks, gpu_of_rank);
        comm::Halo halo(direct, ids);
        linalg::HaloSum sum(halo, gpu_of_rank);
        device::Buffer<float> x(ids.size() * kWidth, gpu_of_rank);
        sum.sum(x.view(), kWidth, gpu_of_rank);
        ranks.barrier();
        const std::size_t before = device::allocation_count();
        ranks.barrier();
        sum.sum(x.view(), kWidth, gpu_of_rank);
        ranks.barrier();
        EXPECT_EQ(device::allocation_count(), before);
        ranks.barrier();
    });
}

}  // namespace
}  // namespace kaname::halo_gpu_test
