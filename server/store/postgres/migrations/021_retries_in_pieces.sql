-- SPDX-License-Identifier: BSD-3-Clause
-- A retry of a large job makes its items live with their tasks, piece by piece. While it does, those
-- that it has not come to are as they were, and the job does not end with the last live one.
alter table job_planting add column reviving boolean not null default false;
