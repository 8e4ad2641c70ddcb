import type {
  DependencyMaterial,
  Material,
  Mingle,
  Pipeline,
  TrackingTool,
  Job,
  Stage,
  CancelTask,
  Property,
  Task,
  Grantee,
  Variable,
} from '../model/model.ts'
import type { VersionControlMaterial } from '../materials/identity.ts'
import type { ParamResolver } from './params.ts'

/**
 * A pipeline with its params replaced in every free text. Names, material
 * names, passwords and typed values take no params (PAR-3).
 */
export function resolvePipeline(pipeline: Pipeline, params: ParamResolver): Pipeline {
  const { timer, trackingTool, mingle } = pipeline
  return {
    ...pipeline,
    label: params.resolve(pipeline.label, pipeline.at),
    timer: timer && { ...timer, cron: params.resolve(timer.cron, timer.at) },
    trackingTool: trackingTool && resolveTrackingTool(trackingTool, params),
    mingle: mingle && resolveMingle(mingle, params),
    variables: resolveVariables(pipeline.variables, params),
    materials: pipeline.materials.map((material) => resolveMaterial(material, params)),
    stages: pipeline.stages.map((stage) => resolveStage(stage, params)),
  }
}

function resolveTrackingTool(tool: TrackingTool, params: ParamResolver): TrackingTool {
  const { at } = tool
  return { at, link: params.resolve(tool.link, at), regex: params.resolve(tool.regex, at) }
}

function resolveMingle(mingle: Mingle, params: ParamResolver): Mingle {
  const { at } = mingle
  return {
    at,
    baseUrl: params.resolve(mingle.baseUrl, at),
    projectIdentifier: params.resolve(mingle.projectIdentifier, at),
    groupingConditions: params.resolveOptional(mingle.groupingConditions, at),
  }
}

function resolveMaterial(material: Material, params: ParamResolver): Material {
  if (material.kind === 'package' || material.kind === 'unknown') return material
  if (material.kind === 'dependency') return resolveDependency(material, params)
  if (material.kind === 'scm') return { ...material, ...resolveCheckout(material, params) }
  return resolveRepository(material, params)
}

function resolveDependency(material: DependencyMaterial, params: ParamResolver): Material {
  const { at } = material
  const pipeline = params.resolve(material.pipeline, at)
  return { ...material, pipeline, stage: params.resolve(material.stage, at) }
}

function resolveRepository(material: VersionControlMaterial, params: ParamResolver): Material {
  const text = (given: string) => params.resolve(given, material.at)
  const optional = (given: string | null) => params.resolveOptional(given, material.at)
  const common = { ...resolveCheckout(material, params), username: optional(material.username) }
  if (material.kind === 'p4') {
    return { ...material, ...common, port: text(material.port), view: text(material.view) }
  }
  const located = { ...common, url: text(material.url) }
  if (material.kind === 'git') return { ...material, ...located, branch: text(material.branch) }
  if (material.kind === 'svn') return { ...material, ...located }
  if (material.kind === 'hg') return { ...material, ...located, branch: optional(material.branch) }
  const projectPath = text(material.projectPath)
  return { ...material, ...located, domain: optional(material.domain), projectPath }
}

function resolveCheckout(
  { at, dest, ignores }: Pick<VersionControlMaterial, 'at' | 'dest' | 'ignores'>,
  params: ParamResolver,
): Pick<VersionControlMaterial, 'dest' | 'ignores'> {
  return {
    dest: params.resolveOptional(dest, at),
    ignores: ignores.map((ignore) => ({
      at: ignore.at,
      pattern: params.resolve(ignore.pattern, ignore.at),
    })),
  }
}

/** A stage with the params of the pipeline that uses it replaced. */
function resolveStage(stage: Stage, params: ParamResolver): Stage {
  const { approval } = stage
  return {
    ...stage,
    approval: approval && {
      ...approval,
      approvers: approval.approvers && resolvePrincipals(approval.approvers, params),
    },
    variables: resolveVariables(stage.variables, params),
    jobs: stage.jobs.map((job) => resolveJob(job, params)),
  }
}

function resolveJob(job: Job, params: ParamResolver): Job {
  return {
    ...job,
    elasticProfile: params.resolveOptional(job.elasticProfile, job.at),
    variables: resolveVariables(job.variables, params),
    tasks: job.tasks.map((task) => resolveTask(task, params)),
    artifacts: job.artifacts.map((artifact) => ({
      ...artifact,
      src: params.resolve(artifact.src, artifact.at),
      dest: params.resolveOptional(artifact.dest, artifact.at),
    })),
    resources: job.resources.map(({ at, name }) => ({ at, name: params.resolve(name, at).trim() })),
    tabs: job.tabs.map((tab) => ({ ...tab, path: params.resolve(tab.path, tab.at) })),
    properties: job.properties.map((property) => ({
      ...property,
      src: params.resolve(property.src, property.at),
      xpath: params.resolve(property.xpath, property.at),
    })),
  }
}

/** A task and what it does on cancel, with the params of the pipeline replaced. */
function resolveTask(task: Task, params: ParamResolver): Task {
  const onCancel = task.onCancel && resolveTexts(task.onCancel, params)
  return { ...resolveTexts(task, params), onCancel }
}

function resolveTexts<Any extends CancelTask>(task: Any, params: ParamResolver): Any {
  const text = (given: string) => params.resolve(given, task.at)
  const optional = (given: string | null) => params.resolveOptional(given, task.at)
  if (task.kind === 'unknown') return task
  if (task.kind === 'plugin') {
    return { ...task, properties: task.properties.map((each) => resolveProperty(each, params)) }
  }
  if (task.kind === 'fetchartifact') {
    return {
      ...task,
      pipeline: optional(task.pipeline),
      stage: text(task.stage),
      job: text(task.job),
      srcFile: optional(task.srcFile),
      srcDir: optional(task.srcDir),
      dest: optional(task.dest),
    }
  }
  const workingDir = optional(task.workingDir)
  if (task.kind === 'exec') {
    const args = task.arguments.map(({ at, text: arg }) => ({ at, text: params.resolve(arg, at) }))
    return {
      ...task,
      command: text(task.command),
      args: optional(task.args),
      arguments: args,
      workingDir,
    }
  }
  const buildFile = optional(task.buildFile)
  const target = optional(task.target)
  return { ...task, buildFile, target, workingDir, nantPath: optional(task.nantPath) }
}

function resolveProperty(property: Property, params: ParamResolver): Property {
  return { ...property, value: params.resolveOptional(property.value, property.at) }
}

/** A secure value is a secret, and secrets take no params. */
function resolveVariables(
  variables: readonly Variable[],
  params: ParamResolver,
): readonly Variable[] {
  return variables.map((variable) => ({
    ...variable,
    name: params.resolve(variable.name, variable.at),
    value: variable.secure ? variable.value : params.resolveOptional(variable.value, variable.at),
  }))
}

function resolvePrincipals(
  principals: readonly Grantee[],
  params: ParamResolver,
): readonly Grantee[] {
  return principals.map((principal) => ({
    ...principal,
    name: params.resolve(principal.name, principal.at),
  }))
}
