-- SPDX-License-Identifier: BSD-3-Clause
-- What the stages of a job were predicted to take when it was submitted.
alter table job add column estimate text not null default '';
