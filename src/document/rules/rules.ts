import { memberTextOf, type MemberFacts } from '../model/member-text.ts'
import type { At, Configuration, Pipeline, Stage } from '../model/model.ts'
import * as dependencies from './dependencies.ts'
import * as environments from './environments.ts'
import { memoize } from '../../lib/memoize.ts'
import { fetches, fetchSitesOf } from './fetches.ts'
import type { Finding } from '../model/finding.ts'
import * as jobs from './jobs.ts'
import { label } from './labels.ts'
import * as materials from './materials.ts'
import * as pipelines from './pipelines.ts'
import * as plugins from './plugins.ts'
import {
  type OwnContext,
  type PipelineRule,
  type ReferenceRule,
  type Rule,
  type RuleContext,
  ruleContextOf,
  type StageRule,
} from './rule-context.ts'
import * as security from './security.ts'
import { serverRules } from './server.ts'
import { tasks } from './tasks.ts'
import * as variables from './variables.ts'

const RULES: readonly Rule[] = [
  serverRules,
  security.ldapBases,
  security.roles,
  security.serverAdmins,
  security.usersInOtherCase,
  security.groupNames,
  security.groupRoles,
  security.approverRoles,
  security.approvers,
  plugins.packageNames,
  plugins.packageIdentities,
  plugins.scmDefinitions,
  plugins.propertyKeys,
  pipelines.pipelineNames,
  pipelines.stagesBesideTemplate,
  pipelines.templateNames,
  jobs.stageNames,
  jobs.templateResources,
  materials.autoUpdates,
  dependencies.dependencyCycles,
  variables.environmentVariables,
  environments.environmentNames,
  environments.pipelineOnce,
  environments.environmentAgents,
  environments.environmentPipelines,
  environments.agentAddresses,
  environments.agentResources,
]

const REFERENCE_RULES: readonly ReferenceRule[] = [
  pipelines.stagesOrTemplate,
  dependencies.upstreams,
  fetches,
]

/** About one pipeline alone. */
const OWN_RULES: readonly PipelineRule[] = [
  pipelines.timer,
  pipelines.trackingTool,
  pipelines.mingle,
  pipelines.paramNames,
  security.approversInOtherCase,
  label,
  variables.pipelineVariables,
  materials.materialAddresses,
  materials.materialNames,
  materials.materialFolders,
  plugins.pluginMaterialOnce,
  plugins.taskPropertyKeys,
  dependencies.upstreamOnce,
  jobs.jobResources,
]

const STAGE_RULES: readonly StageRule[] = [
  variables.stageVariables,
  jobs.jobNames,
  jobs.instanceMarkers,
  jobs.jobNumbers,
  jobs.artifacts,
  jobs.tabs,
  jobs.jobProperties,
  tasks,
]

/**
 * Checks a configuration, in small steps, against the rules that its structure cannot express. A
 * fault in a template is reported once, however many pipelines use it.
 */
export function* checkRules(configuration: Configuration): Generator<void, Finding[]> {
  const { context, findings } = yield* ruleContextOf(configuration)
  const found = [...findings]
  for (const finding of findingsOf(context)) {
    if (finding) found.push(finding)
    else yield
  }
  return [
    ...new Map(found.map((finding) => [`${finding.at} ${finding.message}`, finding])).values(),
  ]
}

/** Yields null between findings, at points where the check may pause. */
function* findingsOf(context: RuleContext): Generator<Finding | null> {
  for (const rule of RULES) {
    yield null
    yield* rule(context)
  }
  for (const pipeline of context.pipelines) {
    if (validatedAt(pipeline).isLater === context.isLater && isSelfContained(pipeline)) continue
    yield null
    for (const rule of REFERENCE_RULES) yield* rule(pipeline, context)
    yield* ownFindings(pipeline, context)
  }
  for (const { stages } of context.written.templates) yield* stageFindings(stages, context)
}

/** The verdict on a pipeline without a look at any other. */
type OwnVerdict = Pick<MemberFacts, 'isSelfContained' | 'isValid'>

const ALONE = { replaced: new Set<At>(), pluginMaterialNames: new Map<string, string>() }

/** Judges a pipeline that was just read, while all of it is there. */
export function judgeAlone(pipeline: Pipeline, isLater: boolean): OwnVerdict {
  const isPlain = pipeline.template === null && dependsOnItselfAlone(pipeline)
  const [finding] = isPlain ? everyOwnFinding(pipeline, { ...ALONE, isLater }) : [null]
  return { isSelfContained: refersToNothing(pipeline), isValid: finding === undefined }
}

/** Whether the findings of this pipeline depend on no other pipeline or template. */
function isSelfContained(pipeline: Pipeline): boolean {
  return memberTextOf(pipeline)?.facts.isSelfContained ?? refersToNothing(pipeline)
}

const refersToNothing = memoize(
  (pipeline: Pipeline) =>
    pipeline.template === null &&
    pipeline.stages.length > 0 &&
    dependencies.dependenciesOf(pipeline).length === 0 &&
    fetchSitesOf(pipeline).length === 0,
)

/** The schema version (exact or later) for which a pipeline was found valid, or null. */
function validatedAt(pipeline: Pipeline): { isLater: boolean | null } {
  return memberTextOf(pipeline) ?? validatedCopy(pipeline)
}

const validatedCopy = memoize<Pipeline, { isLater: boolean | null }>(() => ({ isLater: null }))

/**
 * The findings of a pipeline that refers to nothing defined elsewhere depend on its expansion
 * alone, so they are cached with it.
 */
function* ownFindings(pipeline: Pipeline, context: RuleContext): Generator<Finding> {
  if (validatedAt(pipeline).isLater === context.isLater) return
  let count = 0
  for (const finding of everyOwnFinding(pipeline, context)) {
    count += 1
    yield finding
  }
  if (count === 0 && dependsOnItselfAlone(pipeline)) {
    validatedAt(pipeline).isLater = context.isLater
  }
}

/** Whether the findings of a pipeline alone are the same in every document. */
function dependsOnItselfAlone(pipeline: Pipeline): boolean {
  return pipeline.materials.every(({ kind }) => kind !== 'package' && kind !== 'scm')
}

function* everyOwnFinding(pipeline: Pipeline, context: OwnContext): Generator<Finding> {
  for (const rule of OWN_RULES) yield* rule(pipeline, context)
  yield* stageFindings(pipeline.stages, context)
}

function* stageFindings(stages: readonly Stage[], context: OwnContext): Generator<Finding> {
  for (const stage of stages) {
    for (const rule of STAGE_RULES) yield* rule(stage, context)
  }
}
