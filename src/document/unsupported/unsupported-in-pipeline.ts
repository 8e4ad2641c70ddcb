import type {
  At,
  Artifact,
  CancelTask,
  Job,
  Material,
  Pipeline,
  Stage,
  Variable,
} from '../model/model.ts'
import { memberTextOf } from '../model/member-text.ts'
import { isSource, type VersionControlMaterial } from '../materials/identity.ts'
import { openAddress } from '../secrets/address-secret.ts'
import { secretReferencesIn } from '../secrets/secret-reference.ts'
import { scriptOf } from './script-executor.ts'
import {
  type FoundPart,
  misplaced,
  NO_PLUGINS,
  type OpenSecret,
  type ReferringPart,
  referring,
  unknownPart,
} from './unsupported-part.ts'

const FOREIGN_KEY = 'it is encrypted with a key that this server does not have'

type Found = FoundPart | ReferringPart

const NO_KEY: OpenSecret = () => null

/**
 * Finds the parts of an effective pipeline that nobody here acts on, apart from those that depend on
 * the agents.
 */
export function* unsupportedInPipeline(pipeline: Pipeline, open: OpenSecret): Generator<Found> {
  const withJobs = memberTextOf(pipeline)?.facts.hasPlainJobs !== true
  yield* unsupportedParts(pipeline, open, withJobs)
}

function* unsupportedParts(
  pipeline: Pipeline,
  open: OpenSecret,
  withJobs: boolean,
): Generator<Found> {
  const { at, label, trackingTool, mingle } = pipeline
  yield* misplaced(label, { at, what: 'the label' })
  if (trackingTool) {
    const what = 'the tracking tool'
    yield { at: trackingTool.at, what, because: 'comments of changes are shown without links' }
  }
  if (mingle) {
    yield { at: mingle.at, what: 'the project of Mingle', because: 'nobody here asks Mingle' }
  }
  for (const material of pipeline.materials) yield* inMaterial(material, open)
  yield* pipeline.unknown.map(unknownPart)
  yield* inVariables(pipeline.variables, open)
  for (const stage of pipeline.stages) {
    yield* inStage(stage, open)
    if (withJobs) for (const job of stage.jobs) yield* inJob(job, `${stage.name}/${job.name}`, open)
  }
}

/** Whether a pipeline has no such part beside its jobs, whatever the keys are. */
export function isPlainBesideJobs(pipeline: Pipeline): boolean {
  return unsupportedParts(pipeline, NO_KEY, false).next().done === true
}

/** Whether the jobs of a pipeline have no such part, whatever the keys and the agents are. */
export function hasPlainJobs({ stages }: Pipeline): boolean {
  return stages.every(({ jobs }) => jobs.every(isPlainJob))
}

function isPlainJob(job: Job): boolean {
  return job.elasticProfile === null && inJob(job, '', NO_KEY).next().done === true
}

function* inMaterial(material: Material, open: OpenSecret): Generator<Found> {
  const { at, kind } = material
  if (kind === 'package' || kind === 'scm') {
    const what = `the ${kind} material ${material.ref}`
    yield { at, what, because: `${NO_PLUGINS}, and the pipeline does not start without it` }
  }
  if (kind === 'git' && material.shallowClone) {
    yield { at, what: 'shallowClone of the git material', because: 'agents clone all of it' }
  }
  if (kind === 'dependency') yield* inAlias(material, `the pipeline ${material.pipeline}`)
  if ((kind === 'svn' || kind === 'hg') && isFilled(material.folder)) {
    const what = `the folder ${material.folder} of the ${kind} material`
    yield { at, what, because: 'its dest names the folder' }
  }
  if (isSource(material)) yield* referencesIn(material, open)
}

/** The parts of a material in which secrets are filled in, and the one that is no text of the document. */
const FILLED_IN = new Set(['kind', 'username', 'password', 'encryptedPassword', 'url'])

function* referencesIn(material: VersionControlMaterial, open: OpenSecret): Generator<Found> {
  const { at, kind, username, password, encryptedPassword } = material
  const of = (part: string) => ({ at, what: `the ${part} of the ${kind} material` })
  yield* referring(username, of('user'))
  const isSealed = encryptedPassword !== null && encryptedPassword !== ''
  const opened = isSealed ? open(encryptedPassword) : password
  if (isSealed && opened === null) yield { ...of('password'), because: FOREIGN_KEY }
  yield* referring(opened, of('password'))
  if (material.kind !== 'p4') {
    const address = openAddress(material.url, open)
    if (address === null) yield { ...of('address'), because: FOREIGN_KEY }
    yield* referring(address, of('address'))
  }
  for (const name of Object.keys(material)) {
    const value: unknown = FILLED_IN.has(name) ? null : Reflect.get(material, name)
    if (typeof value === 'string') yield* misplaced(value, of(name))
  }
}

/** Variables that refer to secrets that are kept elsewhere. */
export function* inVariables(variables: readonly Variable[], open: OpenSecret): Generator<Found> {
  for (const { at, name, value, encryptedValue } of variables) {
    const what = `the variable ${name}`
    const text = encryptedValue === null ? value : open(encryptedValue)
    if (text === null && encryptedValue !== null) yield { at, what, because: FOREIGN_KEY }
    yield* referring(text, { at, what })
    yield* misplaced(name, { at, what: 'the name of a variable' })
  }
}

function* inStage(stage: Stage, open: OpenSecret): Generator<Found> {
  const { at, name, artifactCleanupProhibited, variables } = stage
  if (artifactCleanupProhibited) {
    const what = `artifactCleanupProhibited of the stage ${name}`
    yield { at, what, because: 'where --max-artifacts is set, the oldest runs make room' }
  }
  yield* inVariables(variables, open)
}

function* inJob(job: Job, place: string, open: OpenSecret): Generator<Found> {
  yield* inVariables(job.variables, open)
  for (const task of job.tasks) {
    const { onCancel, ...run } = task
    yield* inTask(run, place)
    if (onCancel) yield* inTask(onCancel, place)
  }
  yield* job.artifacts.flatMap((artifact) => inArtifact(artifact, place))
  for (const { at, name } of job.properties) {
    const what = `the property ${name} of ${place}`
    yield { at, what, because: 'nothing is read from artifacts when a job ends' }
  }
  yield* job.unknown.map(unknownPart)
}

function* inTask(task: CancelTask, place: string): Generator<Found> {
  const { at, kind } = task
  const because = `${NO_PLUGINS}, and the job fails without it`
  if (kind === 'plugin' && scriptOf(task) === null) {
    yield { at, what: `a task of the plugin ${task.plugin.id} in ${place}`, because }
  } else if (kind === 'fetchartifact' && task.external) {
    yield { at, what: `the fetching of an artifact by a plugin in ${place}`, because }
  } else {
    const name = kind === 'plugin' ? 'script' : kind
    const what = `a text of the ${name} task in ${place}`
    yield* secretReferencesIn(task).map((reference) => ({ at, what, reference }))
  }
  if (kind === 'fetchartifact') yield* inAlias(task, `the artifact of ${task.stage}/${task.job}`)
}

function* inAlias(
  { at, serverAlias }: { readonly at: At; readonly serverAlias: string | null },
  of: string,
): Generator<FoundPart> {
  if (!isFilled(serverAlias)) return
  const what = `the server ${serverAlias} of ${of}`
  yield { at, what, because: 'pipelines are those of this server' }
}

function inArtifact({ at, kind, src, dest }: Artifact, place: string): readonly FoundPart[] {
  if (kind === 'external') {
    const because = `${NO_PLUGINS}, and the job fails without it`
    return [{ at, what: `an artifact that a plugin keeps in ${place}`, because }]
  }
  const what = `an artifact in ${place}`
  return [...misplaced(src, { at, what }), ...misplaced(dest, { at, what })]
}

function isFilled(text: string | null): boolean {
  return text !== null && text !== ''
}
