import type {
  Artifact,
  CancelTask,
  Job,
  Material,
  Pipeline,
  Stage,
  Variable,
} from '../model/model.ts'
import { isSource, type VersionControlMaterial } from '../materials/identity.ts'
import { openAddress } from '../secrets/address-secret.ts'
import {
  type FoundPart,
  NO_PLUGINS,
  type OpenSecret,
  referring,
  unknownPart,
} from './unsupported-part.ts'

/**
 * Finds the parts of an effective pipeline that nobody here acts on, apart from those that depend on
 * the agents.
 */
export function* unsupportedInPipeline(pipeline: Pipeline, open: OpenSecret): Generator<FoundPart> {
  for (const material of pipeline.materials) yield* inMaterial(material, open)
  yield* pipeline.unknown.map(unknownPart)
  yield* inVariables(pipeline.variables, open)
  for (const stage of pipeline.stages) yield* inStage(stage, open)
}

function* inMaterial(material: Material, open: OpenSecret): Generator<FoundPart> {
  const { at, kind } = material
  if (kind === 'package' || kind === 'scm') {
    const what = `the ${kind} material ${material.ref}`
    yield { at, what, because: `${NO_PLUGINS}, and the pipeline does not start without it` }
  }
  if (kind === 'git' && material.shallowClone) {
    yield { at, what: 'shallowClone of the git material', because: 'agents clone all of it' }
  }
  if (isSource(material)) yield* referencesIn(material, open)
}

function* referencesIn(material: VersionControlMaterial, open: OpenSecret): Generator<FoundPart> {
  const { at, kind, username, password, encryptedPassword } = material
  const of = (part: string) => ({ at, what: `the ${part} of the ${kind} material` })
  yield* referring(username, of('user'))
  yield* referring(encryptedPassword === null ? password : open(encryptedPassword), of('password'))
  if (material.kind !== 'p4') yield* referring(openAddress(material.url, open), of('address'))
}

/** Variables that refer to secrets that are kept elsewhere. */
export function* inVariables(
  variables: readonly Variable[],
  open: OpenSecret,
): Generator<FoundPart> {
  for (const { at, name, value, encryptedValue } of variables) {
    const text = encryptedValue === null ? value : open(encryptedValue)
    yield* referring(text, { at, what: `the variable ${name}` })
  }
}

function* inStage({ name, variables, jobs }: Stage, open: OpenSecret): Generator<FoundPart> {
  yield* inVariables(variables, open)
  for (const job of jobs) yield* inJob(job, `${name}/${job.name}`, open)
}

function* inJob(job: Job, place: string, open: OpenSecret): Generator<FoundPart> {
  yield* inVariables(job.variables, open)
  for (const task of job.tasks) {
    yield* inTask(task, place)
    if (task.onCancel) yield* inTask(task.onCancel, place)
  }
  yield* job.artifacts.flatMap((artifact) => inArtifact(artifact, place))
  yield* job.unknown.map(unknownPart)
}

function* inTask(task: CancelTask, place: string): Generator<FoundPart> {
  const because = `${NO_PLUGINS}, and the job fails without it`
  if (task.kind === 'plugin') {
    yield { at: task.at, what: `a task of the plugin ${task.plugin.id} in ${place}`, because }
  } else if (task.kind === 'fetchartifact' && task.external) {
    yield { at: task.at, what: `the fetching of an artifact by a plugin in ${place}`, because }
  }
}

function inArtifact({ at, kind }: Artifact, place: string): FoundPart[] {
  if (kind !== 'external') return []
  const because = `${NO_PLUGINS}, and the job fails without it`
  return [{ at, what: `an artifact that a plugin keeps in ${place}`, because }]
}
