import type { Problem } from '../../core/problem.ts'
import { DEFAULT_GROUP } from '../entities/entities.ts'
import { VALUE_TYPES } from '../schema/value-types.ts'
import { type MaterialRequest, readMaterialRequest } from './material-request.ts'
import { RequestForm } from './request-form.ts'
import { readTaskRequest, type TaskRequest } from './task-request.ts'
import { shorten } from '../text/shown-text.ts'

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
  | { readonly ok: false; readonly group: string; readonly problems: readonly Problem[] }

/** A file or folder that a job leaves; the kinds are the names of the elements. */
interface ArtifactRequest {
  readonly kind: 'artifact' | 'test'
  readonly src: string
  readonly dest: string | null
}

/** The schema's pattern of a folder: neither end is a dot or a space. */
const DEST = /^(?:[^. ].*[^. ]|[^. ])$/s

const KINDS = ['artifact', 'test'] as const

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
  if (problems.length > 0 || !material || !task) return { ok: false, group, problems }
  return { ok: true, request: { name, group, material, task, artifacts } }
}

function readGroup(form: RequestForm): string {
  const group = form.optional('pipelineGroup') ?? DEFAULT_GROUP
  if (!isName(group))
    form.refuse('pipelineGroup', `is "${shorten(group)}", which is not a valid name for a group`)
  return group
}

function isName(text: string): boolean {
  return VALUE_TYPES.name.accepts(text)
}

function nameProblem(name: string): Problem {
  return { message: `"${shorten(name)}" is not a valid name for a pipeline`, path: 'name' }
}

/**
 * `source`, `dest` and `artifactType` may repeat; the first belongs to the first, and so on. One
 * type alone is that of all sources.
 */
function readArtifactRequests(form: RequestForm): ArtifactRequest[] {
  const kinds = form.choices('artifactType', KINDS)
  const sources = form.all('source')
  const dests = form.all('dest')
  const count = Math.max(sources.length, dests.length)
  if (kinds.length > Math.max(sources.length, 1)) {
    form.refuse('artifactType', `is given ${kinds.length} times, and there are fewer sources`)
  }
  return Array.from({ length: count }, (_, index) => index).flatMap((index) => {
    const src = presence(sources[index])
    const dest = presence(dests[index])
    if (dest !== null && src === null) form.refuse('dest', `"${shorten(dest)}" has no source`)
    if (dest !== null && !DEST.test(dest)) {
      form.refuse('dest', `is "${shorten(dest)}", which begins or ends with a dot or a space`)
    }
    const kind = (kinds.length === 1 ? kinds[0] : kinds[index]) ?? KINDS[0]
    return src === null ? [] : [{ kind, src, dest }]
  })
}

function presence(value: string | undefined): string | null {
  return value === undefined || value.trim() === '' ? null : value
}
