import { DEFAULT_GROUP } from '../entities/entities.ts'
import type { Findings } from './findings.ts'
import { shorten } from '../text/shown-text.ts'
import { elementsAt, type PathSteps, parseElementPath, elementText } from '../xml/xml-elements.ts'
import type { XmlElement } from '../xml/xml-tree.ts'
import { groupBy } from '../../lib/grouping.ts'

/** Elements under `within` that may not share the text that names them. */
interface Constraint {
  /** The key of a rule of the vocabulary. */
  readonly within: string
  readonly of: string
  readonly by: (element: XmlElement) => string | null
  readonly what: string
}

const name = attribute('name')
const id = attribute('id')
const uuid = attribute('uuid')
const status = attribute('status')

const CONSTRAINTS: readonly Constraint[] = [
  { within: 'cruise', of: 'pipelines', by: groupName, what: 'pipeline group' },
  { within: 'cruise', of: 'scms/scm', by: id, what: 'scm id' },
  {
    within: 'cruise',
    of: 'repositories/repository/packages/package',
    by: id,
    what: 'package id',
  },
  { within: 'repositories', of: 'repository', by: id, what: 'repository id' },
  { within: 'repositories', of: 'repository', by: name, what: 'repository' },
  { within: 'packages', of: 'package', by: name, what: 'package' },
  { within: 'artifactStores', of: 'artifactStore', by: id, what: 'artifact store' },
  { within: 'secretConfigs', of: 'secretConfig', by: id, what: 'secret config' },
  { within: 'config-repos', of: 'config-repo', by: id, what: 'config repo' },
  { within: 'clusterProfiles', of: 'clusterProfile', by: id, what: 'cluster profile' },
  { within: 'agentProfiles', of: 'agentProfile', by: id, what: 'elastic profile' },
  { within: 'profiles', of: 'profile', by: id, what: 'elastic profile' },
  { within: 'authConfigs', of: 'authConfig', by: id, what: 'auth config' },
  { within: 'roles', of: 'role|pluginRole', by: name, what: 'role' },
  ...usersAndRoles('security/admins'),
  ...usersAndRoles('view'),
  ...usersAndRoles('operate'),
  { within: 'materials', of: 'pipeline', by: upstream, what: 'upstream stage' },
  { within: 'jobs', of: 'job', by: name, what: 'job' },
  { within: 'tabs', of: 'tab', by: name, what: 'tab' },
  { within: 'properties', of: 'property', by: name, what: 'property' },
  ...['exec', 'ant', 'nant', 'rake', 'fetchartifact', 'fetchPluggableArtifact', 'task'].map(
    (task) => ({
      within: task,
      of: 'runif',
      by: status,
      what: 'runif status',
    }),
  ),
  { within: 'templates', of: 'pipeline', by: name, what: 'template' },
  { within: 'environments', of: 'environment', by: name, what: 'environment' },
  {
    within: 'environments',
    of: 'environment/pipelines/pipeline',
    by: name,
    what: 'environment pipeline',
  },
  { within: 'environment/agents', of: 'physical', by: uuid, what: 'agent uuid' },
  { within: 'agents', of: 'agent', by: uuid, what: 'agent uuid' },
]

interface ReadyConstraint extends Constraint {
  readonly steps: PathSteps
}

const byScope = groupBy(
  CONSTRAINTS.map((each): ReadyConstraint => ({ ...each, steps: parseElementPath(each.of) })),
  ({ within }) => within,
)

/** Finds names that occur twice where the schema requires them to be unique, as written. */
export function checkUniqueness(scope: XmlElement, ruleKey: string, findings: Findings): void {
  for (const constraint of byScope.get(ruleKey) ?? []) {
    checkConstraint(scope, constraint, findings)
  }
}

function checkConstraint(
  scope: XmlElement,
  { steps, by, what }: ReadyConstraint,
  findings: Findings,
): void {
  if (!hasRepeated(scope, { steps, by })) return
  const seen = new Map<string, XmlElement>()
  for (const element of elementsAt(scope, steps)) {
    const value = by(element)
    if (value === null) continue
    const first = seen.get(value)
    if (!first) {
      seen.set(value, element)
      continue
    }
    const { line } = findings.lines.positionOf(first.span.start)
    findings.add(element, `the ${what} "${shorten(value)}" is already on line ${line}`)
  }
}

/** Whether two have the same text, without asking for the places of thousands that have not. */
function hasRepeated(
  scope: XmlElement,
  { steps, by }: Pick<ReadyConstraint, 'steps' | 'by'>,
): boolean {
  const seen = new Set<string>()
  const repeated = elementsAt(scope, steps, (element) => {
    const value = by(element)
    if (value === null) return false
    return seen.size === seen.add(value).size
  })
  return repeated.length > 0
}

const REFERENCES = [
  {
    from: 'pipelines/pipeline/materials/package',
    to: 'repositories/repository/packages/package',
    what: 'package',
  },
  { from: 'pipelines/pipeline/materials/scm', to: 'scms/scm', what: 'scm' },
  { from: 'config-repos/config-repo/scm', to: 'scms/scm', what: 'scm' },
] as const

/** Finds references to packages and scms that do not exist. */
export function checkReferences(root: XmlElement, findings: Findings): void {
  for (const { from, to, what } of REFERENCES) {
    const ids = new Set(elementsAt(root, to).map(id))
    for (const element of elementsAt(root, from)) {
      const ref = element.attributeValue('ref')
      if (ref === null || ids.has(ref)) continue
      findings.add(element, `there is no ${what} with the id "${shorten(ref)}"`)
    }
  }
}

function attribute(named: string): Constraint['by'] {
  return (element) => element.attributeValue(named)
}

function groupName(element: XmlElement): string {
  return element.attributeValue('group') ?? DEFAULT_GROUP
}

function upstream(element: XmlElement): string | null {
  const pipeline = element.attributeValue('pipelineName')
  const stage = element.attributeValue('stageName')
  return pipeline === null || stage === null ? null : `${pipeline}/${stage}`
}

function usersAndRoles(within: string): Constraint[] {
  return ['user', 'role'].map((of) => ({ within, of, by: elementText, what: of }))
}
