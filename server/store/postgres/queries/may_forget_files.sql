-- SPDX-License-Identifier: BSD-3-Clause
-- False while a backup is made: it holds this lock, and copies what was there when it began.
select pg_try_advisory_xact_lock_shared(7303732)
