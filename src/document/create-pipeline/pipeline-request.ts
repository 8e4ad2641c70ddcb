import type { Problem } from '../../core/problem.ts'
import { DEFAULT_GROUP } from '../entities/entities.ts'
import { type ArtifactRequest, readArtifactRequests } from './artifact-request.ts'
import { type MaterialRequest, readMaterialRequest } from './material-request.ts'
import { RequestForm } from './request-form.ts'
import { readTaskRequest, type TaskRequest } from './task-request.ts'

/** A pipeline to be made, with one stage, one job and one task. */
export interface PipelineCreationRequest {
  readonly name: string
  readonly group: string
  readonly material: MaterialRequest
  readonly task: TaskRequest
  readonly artifacts: readonly ArtifactRequest[]
}

export type PipelineRequestReading =
  | { readonly ok: true; readonly request: PipelineCreationRequest }
  | { readonly ok: false; readonly problems: readonly Problem[] }

const NAME = /^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,254}$/

/**
 * Reads the form of a pipeline to be made. Every problem is reported, its `path`
 * being the parameter; no message repeats a password. Other parameters are ignored.
 */
export function readPipelineRequest(
  name: string,
  entries: Iterable<readonly [name: string, value: string]>,
): PipelineRequestReading {
  const form = new RequestForm(entries)
  const nameProblems = isName(name) ? [] : [nameProblem(name)]
  const group = readGroup(form)
  const material = readMaterialRequest(form)
  const task = readTaskRequest(form)
  const artifacts = readArtifactRequests(form)
  const problems = [...nameProblems, ...form.problems]
  if (problems.length > 0 || !material || !task) return { ok: false, problems }
  return { ok: true, request: { name, group, material, task, artifacts } }
}

function readGroup(form: RequestForm): string {
  const group = form.optional('pipelineGroup') ?? DEFAULT_GROUP
  if (!isName(group)) form.refuse('pipelineGroup', `is "${group}", which is no name of a group`)
  return group
}

function isName(text: string): boolean {
  return NAME.test(text)
}

function nameProblem(name: string): Problem {
  return { message: `"${name}" is no name of a pipeline`, path: 'name' }
}
