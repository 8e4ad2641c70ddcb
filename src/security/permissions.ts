import { nameKey } from '../core/name-key.ts'
import { memoize } from '../lib/memoize.ts'
import { type KnownUser, type Reason, Reasons } from './permission-reasons.ts'
import type {
  GroupFacts,
  PipelineFacts,
  SecurityFacts,
  StageFacts,
  TemplateFacts,
} from './security-facts.ts'

/** The groups of a pipeline during a run of it; null when unknown. */
export type FormerGroups = readonly string[] | null

interface KnownPipeline {
  readonly group: GroupFacts
  readonly stages: ReadonlyMap<string, StageFacts>
}

/**
 * Decides permissions by a configuration. Callers are always known users here, since the service
 * always requires a log-in: when the configuration has security off, each of them is an
 * administrator.
 */
export class AccessRules {
  readonly #facts: SecurityFacts
  readonly #groups: ReadonlyMap<string, GroupFacts>
  readonly #pipelines: KnownPipelines
  readonly #templates: ReadonlyMap<string, TemplateFacts>

  constructor(facts: SecurityFacts) {
    this.#facts = facts
    this.#groups = new Map(facts.groups.map((group) => [group.name, group]))
    this.#templates = new Map(facts.templates.map((each) => [nameKey(each.name), each]))
    this.#pipelines = new KnownPipelines(facts.groups)
  }

  /** Whether every user is an administrator: security is off, or the configuration lists none. */
  get everyoneAdministers(): boolean {
    const { securityOn, admins } = this.#facts
    return !securityOn || admins.length === 0
  }

  /** The stages of a pipeline; null where there is no such pipeline. */
  stagesOf(pipeline: string): readonly string[] | null {
    const known = this.#pipelines.get(nameKey(pipeline))
    return known === undefined ? null : Array.from(known.stages.values(), ({ name }) => name)
  }

  permissionsOf(user: KnownUser): Permissions {
    return new Permissions({
      reasons: new Reasons(this.#facts, user, false),
      groups: this.#groups,
      pipelines: this.#pipelines,
      templates: this.#templates,
    })
  }
}

/** The pipelines by name, listed when one is first asked for: those of administrators are not. */
class KnownPipelines {
  readonly #groups: readonly GroupFacts[]
  #byName: ReadonlyMap<string, KnownPipeline> | null = null

  constructor(groups: readonly GroupFacts[]) {
    this.#groups = groups
  }

  get(key: string): KnownPipeline | undefined {
    this.#byName ??= new Map(this.#groups.flatMap(pipelinesOf))
    return this.#byName.get(key)
  }
}

type Right = 'view' | 'operate'

/** The rights of a user in a group, whatever the pipeline. */
type GroupRights = Readonly<Record<Right | 'administer', boolean>>

/** The permissions of one user. Entities that are not configured are for administrators only. */
export class Permissions {
  /** May do everything: configuration, agents, every group. */
  readonly isAdministrator: boolean
  /** A group may list thousands, and have tens of thousands of pipelines. */
  readonly #rightsIn = memoize((group: GroupFacts): GroupRights => {
    const { view, operate, administer } = this.#reasons.inGroup(group)
    return { view: isAny(view), operate: isAny(operate), administer: isAny(administer) }
  })
  readonly #reasons: Reasons
  readonly #groups: ReadonlyMap<string, GroupFacts>
  readonly #pipelines: KnownPipelines
  readonly #templates: ReadonlyMap<string, TemplateFacts>

  constructor(parts: {
    readonly reasons: Reasons
    readonly groups: ReadonlyMap<string, GroupFacts>
    readonly pipelines: KnownPipelines
    readonly templates: ReadonlyMap<string, TemplateFacts>
  }) {
    this.isAdministrator = isAny(parts.reasons.administers)
    this.#reasons = parts.reasons
    this.#groups = parts.groups
    this.#pipelines = parts.pipelines
    this.#templates = parts.templates
  }

  /** Administers the server, or some group or template. */
  get administersSomething(): boolean {
    return (
      this.isAdministrator ||
      this.#administersSomeGroup() ||
      [...this.#templates.values()].some((each) => isAny(this.#reasons.inTemplate(each).administer))
    )
  }

  /** May view some group or template, and so propose changes of it. */
  get viewsSomething(): boolean {
    return (
      this.administersSomething ||
      [...this.#groups.values()].some((group) => this.#rightsIn(group).view) ||
      [...this.#templates.values()].some(({ name }) => this.mayViewTemplate(name))
    )
  }

  /** May change the pipelines of a group, and create new ones in it. */
  administersGroup(group: string): boolean {
    return this.#administers(this.#groups.get(group) ?? null)
  }

  /** May change a template. */
  administersTemplate(template: string): boolean {
    const facts = this.#templates.get(nameKey(template))
    if (this.isAdministrator) return true
    return facts !== undefined && isAny(this.#reasons.inTemplate(facts).administer)
  }

  mayViewTemplate(template: string): boolean {
    if (this.administersTemplate(template)) return true
    const facts = this.#templates.get(nameKey(template))
    if (facts === undefined) return false
    const isOpen = facts.isOpenToGroupAdmins && this.#administersSomeGroup()
    return isOpen || isAny(this.#reasons.inTemplate(facts).view)
  }

  mayView(pipeline: string): boolean {
    return this.#may(pipeline, 'view')
  }

  mayViewGroup(group: string): boolean {
    return this.#mayInGroup(this.#groups.get(group), 'view')
  }

  /** May view an entity by its kind and name; those without rights of their own are for administrators. */
  mayViewEntity({ kind, name }: { readonly kind: string; readonly name: string }): boolean {
    if (this.isAdministrator) return true
    if (kind === 'pipeline') return this.mayView(name)
    if (kind === 'group') return this.mayViewGroup(name)
    return kind === 'template' && this.mayViewTemplate(name)
  }

  /** May view a run of a pipeline that was in these groups during the run; null when unknown. */
  mayViewRun(pipeline: string, groups: FormerGroups): boolean {
    return this.mayView(pipeline) && this.#mayInFormer(pipeline, groups, 'view')
  }

  /** May pause the pipeline, and run and cancel its stages, unless a stage has its own list. */
  mayOperate(pipeline: string): boolean {
    return this.#may(pipeline, 'operate')
  }

  /** May start runs, and so the first stage, which may have its own list. */
  mayTrigger(pipeline: string): boolean {
    const [first] = this.#pipelines.get(nameKey(pipeline))?.stages.values() ?? []
    return (
      this.mayOperate(pipeline) &&
      (first === undefined || this.mayOperateStage(pipeline, first.name))
    )
  }

  mayOperateStage(pipeline: string, stage: string): boolean {
    if (this.isAdministrator) return true
    const known = this.#pipelines.get(nameKey(pipeline))
    const facts = known?.stages.get(nameKey(stage))
    if (!known || !facts) return false
    if (facts.approvers.length === 0) return this.mayOperate(pipeline)
    return isAny(this.#reasons.inStage(known.group, { name: stage, stage: facts }))
  }

  /** May repeat or cancel a stage of such a run. */
  mayOperateRun(pipeline: string, stage: string, groups: FormerGroups): boolean {
    return this.mayOperateStage(pipeline, stage) && this.#mayInFormer(pipeline, groups, 'operate')
  }

  #may(pipeline: string, right: Right): boolean {
    return this.#mayInGroup(this.#pipelines.get(nameKey(pipeline))?.group, right)
  }

  /** The rights are independent. Entities that are not configured are for administrators only. */
  #mayInGroup(group: GroupFacts | undefined, right: Right): boolean {
    if (this.isAdministrator) return true
    return group !== undefined && this.#rightsIn(group)[right]
  }

  /** Checked in addition to the current group of the pipeline. */
  #mayInFormer(pipeline: string, groups: FormerGroups, right: Right): boolean {
    if (this.isAdministrator) return true
    const now = this.#pipelines.get(nameKey(pipeline))?.group.name
    const others = groups?.filter((name) => name !== now)
    return others?.every((name) => this.#mayInGroup(this.#groups.get(name), right)) ?? false
  }

  #administersSomeGroup(): boolean {
    return [...this.#groups.values()].some((group) => this.#administers(group))
  }

  #administers(group: GroupFacts | null): boolean {
    return this.isAdministrator || (group !== null && this.#rightsIn(group).administer)
  }
}

function isAny(reasons: readonly Reason[]): boolean {
  return reasons.length > 0
}

function pipelinesOf(group: GroupFacts): (readonly [string, KnownPipeline])[] {
  return group.pipelines.map((pipeline) => {
    return [nameKey(pipeline.name), { group, stages: stagesByName(pipeline) }]
  })
}

const stagesByName = memoize(
  ({ stages }: PipelineFacts) => new Map(stages.map((stage) => [nameKey(stage.name), stage])),
)
