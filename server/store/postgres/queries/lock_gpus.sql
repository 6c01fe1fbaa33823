-- SPDX-License-Identifier: BSD-3-Clause
-- Registrations of GPUs follow one another, until the transaction ends.
select pg_advisory_xact_lock(7303731)
