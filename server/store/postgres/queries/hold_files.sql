-- SPDX-License-Identifier: BSD-3-Clause
-- Until the session ends; the sweeps' may_forget_files is the other side.
select pg_try_advisory_lock(7303732)
