// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/comm/mpi/mpi_comm.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "solvers/base/error.hpp"

#ifdef KANAME_HAVE_MPI
#define OMPI_SKIP_MPICXX 1  // the C interface is all that is used
#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>  // what Open MPI can do besides
#endif
#endif

namespace kaname::comm {

#ifdef KANAME_HAVE_MPI
namespace {

// MPI counts are int; longer messages travel in pieces, which keep their order within a tag.
constexpr std::size_t kMaxPiece = std::size_t{1} << 30;
constexpr int kExchangeTag = 1;
constexpr int kAllToAllTag = 2;

void check(int code, const char* call) {
    if (code == MPI_SUCCESS) {
        return;
    }
    char text[MPI_MAX_ERROR_STRING] = {};
    int length = 0;
    MPI_Error_string(code, text, &length);
    throw Error(ErrorCode::Unavailable,
                std::string(call) + ": " + std::string(text, static_cast<std::size_t>(length)));
}

template <class Byte, class Act>
void for_each_piece(std::span<Byte> data, Act act) {
    for (std::size_t at = 0; at < data.size(); at += kMaxPiece) {
        act(data.data() + at, static_cast<int>(std::min(kMaxPiece, data.size() - at)));
    }
}

class MpiComm final : public Comm {
public:
    MpiComm() {
        check(MPI_Comm_dup(MPI_COMM_WORLD, &comm_), "MPI_Comm_dup");
        MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
        MPI_Comm_rank(comm_, &rank_);
        MPI_Comm_size(comm_, &size_);
    }
    ~MpiComm() override { MPI_Comm_free(&comm_); }
    MpiComm(const MpiComm&) = delete;
    MpiComm& operator=(const MpiComm&) = delete;

    [[nodiscard]] int rank() const override { return rank_; }
    [[nodiscard]] int size() const override { return size_; }
    void barrier() override { check(MPI_Barrier(comm_), "MPI_Barrier"); }
    void sum(std::span<double> values) override { reduce(values, MPI_SUM); }
    void max(std::span<double> values) override { reduce(values, MPI_MAX); }

    void broadcast(Bytes& data, int root) override {
        check_rank(root, "root");
        auto bytes = static_cast<std::uint64_t>(data.size());
        check(MPI_Bcast(&bytes, 1, MPI_UINT64_T, root, comm_), "MPI_Bcast");
        data.resize(bytes);
        for_each_piece(std::span(data), [&](std::byte* piece, int count) {
            check(MPI_Bcast(piece, count, MPI_BYTE, root, comm_), "MPI_Bcast");
        });
    }

    [[nodiscard]] std::vector<Bytes> all_to_all(const std::vector<Bytes>& outgoing) override {
        const auto ranks = static_cast<std::size_t>(size_);
        if (outgoing.size() != ranks) {
            throw Error(ErrorCode::InvalidArgument, "outgoing must have one entry per rank (" +
                                                        std::to_string(ranks) + "), got " +
                                                        std::to_string(outgoing.size()));
        }
        std::vector<std::uint64_t> sent(ranks);
        std::vector<std::uint64_t> expected(ranks);
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            sent[rank] = outgoing[rank].size();
        }
        check(MPI_Alltoall(sent.data(), 1, MPI_UINT64_T, expected.data(), 1, MPI_UINT64_T, comm_),
              "MPI_Alltoall");
        std::vector<Bytes> incoming(ranks);
        std::vector<MPI_Request> requests;
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            incoming[rank].resize(expected[rank]);
            receive(requests, static_cast<int>(rank), incoming[rank], kAllToAllTag);
        }
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            send(requests, static_cast<int>(rank), outgoing[rank], kAllToAllTag);
        }
        wait(requests);
        return incoming;
    }

    [[nodiscard]] std::vector<Bytes> all_gather(const Bytes& mine) override {
        std::vector<Bytes> all(static_cast<std::size_t>(size_));
        all[static_cast<std::size_t>(rank_)] = mine;
        for (int root = 0; root < size_; ++root) {
            broadcast(all[static_cast<std::size_t>(root)], root);
        }
        return all;
    }

#ifdef MPIX_CUDA_AWARE_SUPPORT
    [[nodiscard]] bool takes_device_memory() const override {
        return MPIX_Query_cuda_support() == 1;
    }
#endif

    void start_exchange(std::span<const Message> sends,
                        std::span<const Message> receives) override {
        for (const Message& message : receives) {
            check_rank(message.peer, "peer");
            receive(requests_, message.peer, message.data, kExchangeTag);
        }
        for (const Message& message : sends) {
            check_rank(message.peer, "peer");
            send(requests_, message.peer, message.data, kExchangeTag);
        }
    }
    void finish_exchange() override {
        wait(requests_);
    }

private:
    void check_rank(int rank, const char* what) const {
        if (rank < 0 || rank >= size_) {
            throw Error(ErrorCode::InvalidArgument, std::string(what) + " must be in 0.." +
                                                        std::to_string(size_ - 1) + ", got " +
                                                        std::to_string(rank));
        }
    }

    void reduce(std::span<double> values, MPI_Op op) {
        constexpr std::size_t kMaxCount = kMaxPiece / sizeof(double);
        for (std::size_t at = 0; at < values.size(); at += kMaxCount) {
            const int count = static_cast<int>(std::min(kMaxCount, values.size() - at));
            check(MPI_Allreduce(MPI_IN_PLACE, values.data() + at, count, MPI_DOUBLE, op, comm_),
                  "MPI_Allreduce");
        }
    }

    void receive(std::vector<MPI_Request>& requests, int peer, std::span<std::byte> data, int tag) {
        for_each_piece(data, [&](std::byte* piece, int count) {
            check(MPI_Irecv(piece, count, MPI_BYTE, peer, tag, comm_, &requests.emplace_back()),
                  "MPI_Irecv");
        });
    }
    void send(std::vector<MPI_Request>& requests, int peer, std::span<const std::byte> data,
              int tag) {
        for_each_piece(data, [&](const std::byte* piece, int count) {
            check(MPI_Isend(piece, count, MPI_BYTE, peer, tag, comm_, &requests.emplace_back()),
                  "MPI_Isend");
        });
    }
    static void wait(std::vector<MPI_Request>& requests) {
        const int code =
            MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
        requests.clear();
        check(code, "MPI_Waitall");
    }

    MPI_Comm comm_ = MPI_COMM_NULL;
    int rank_ = 0;
    int size_ = 1;
    std::vector<MPI_Request> requests_;
};

}  // namespace

MpiSession::MpiSession() {
    int initialised = 0;
    MPI_Initialized(&initialised);
    if (initialised != 0) {
        throw Error(ErrorCode::Conflict, "MPI is initialised already: one MpiSession per process");
    }
    int provided = 0;
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
    if (provided < MPI_THREAD_FUNNELED) {
        MPI_Finalize();
        throw Error(ErrorCode::Unavailable, "this MPI does not support MPI_THREAD_FUNNELED");
    }
}

MpiSession::~MpiSession() {
    MPI_Finalize();
}

bool MpiSession::compiled_in() {
    return true;
}

void MpiSession::abort(int exit_code) {
    MPI_Abort(MPI_COMM_WORLD, exit_code);
    std::abort();
}

std::unique_ptr<Comm> make_mpi_comm(MpiSession& /*session*/) {
    return std::make_unique<MpiComm>();
}

#else
namespace {

constexpr const char* kWithoutMpi = "this build has no MPI: configure with -DKANAME_MPI=ON";

}  // namespace

MpiSession::MpiSession() {
    throw Error(ErrorCode::Unavailable, kWithoutMpi);
}

MpiSession::~MpiSession() = default;

bool MpiSession::compiled_in() {
    return false;
}

void MpiSession::abort(int exit_code) {
    std::exit(exit_code);
}

std::unique_ptr<Comm> make_mpi_comm(MpiSession& /*session*/) {
    throw Error(ErrorCode::Unavailable, kWithoutMpi);
}
#endif

}  // namespace kaname::comm
