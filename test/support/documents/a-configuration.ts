/** One element of a document under construction. Attributes that are undefined are left out. */
export interface AnElement {
  readonly name: string
  readonly attributes?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly children?: readonly (AnElement | string)[]
}

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

interface AConfiguration {
  readonly schemaVersion?: number
  /** The children of `server`, ready made. */
  readonly server?: AnElement
  readonly repositories?: readonly AnElement[]
  readonly scms?: readonly AnElement[]
  /** Pipelines of the one group `defaultGroup`. Say `groups` instead to have several. */
  readonly pipelines?: readonly APipeline[]
  readonly groups?: readonly AGroup[]
  readonly templates?: readonly ATemplate[]
  readonly environments?: readonly AnEnvironment[]
  readonly agents?: readonly AnAgent[]
}

interface AGroup {
  readonly group?: string
  readonly authorization?: AnElement
  readonly pipelines?: readonly APipeline[]
}

interface APipeline {
  readonly name?: string
  readonly attributes?: Attributes
  readonly template?: string
  readonly params?: Readonly<Record<string, string>>
  readonly variables?: Readonly<Record<string, string>>
  readonly timer?: string
  /** Elements that stand before the environment variables, such as `trackingtool`. */
  readonly before?: readonly AnElement[]
  readonly materials?: readonly AnElement[]
  readonly stages?: readonly AStage[]
}

interface ATemplate {
  readonly name?: string
  readonly stages?: readonly AStage[]
}

interface AStage {
  readonly name?: string
  readonly attributes?: Attributes
  readonly approval?: AnElement
  readonly variables?: Readonly<Record<string, string>>
  readonly jobs?: readonly AJob[]
}

interface AJob {
  readonly name?: string
  readonly attributes?: Attributes
  readonly variables?: Readonly<Record<string, string>>
  readonly tasks?: readonly AnElement[]
  readonly artifacts?: readonly AnElement[]
  readonly resources?: readonly string[]
  readonly tabs?: readonly AnElement[]
  readonly properties?: readonly AnElement[]
}

interface AnEnvironment {
  readonly name?: string
  readonly variables?: Readonly<Record<string, string>>
  readonly agents?: readonly string[]
  readonly pipelines?: readonly string[]
}

interface AnAgent {
  readonly uuid?: string
  readonly hostname?: string
  readonly ipaddress?: string
  readonly isDisabled?: boolean
  readonly resources?: readonly string[]
}

/**
 * The text of a configuration document, valid unless it is asked to be
 * otherwise: everything that is not given is filled in, so that a test says
 * only what it is about. Line feeds and two spaces, as the service writes it.
 */
export function aConfiguration(given: AConfiguration = {}): string {
  const groups = given.groups ?? (given.pipelines ? [{ pipelines: given.pipelines }] : [])
  const root = element('cruise', { schemaVersion: given.schemaVersion ?? 75 }, [
    ...(given.server ? [given.server] : []),
    ...listed('repositories', given.repositories),
    ...listed('scms', given.scms),
    ...groups.map(groupElement),
    ...listed('templates', given.templates?.map(templateElement)),
    ...listed('environments', given.environments?.map(environmentElement)),
    ...listed('agents', given.agents?.map(agentElement)),
  ])
  return `<?xml version="1.0" encoding="utf-8"?>\n${render(root, '')}\n`
}

/** The same as bytes, as a service takes them. */
export function aConfigurationInBytes(given: AConfiguration = {}): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(aConfiguration(given))
}

/** `element('git', { url: 'a' })`; children are elements or text. */
export function element(
  name: string,
  attributes: Attributes = {},
  children: readonly (AnElement | string)[] = [],
): AnElement {
  return { name, attributes, children }
}

export function git(url: string, attributes: Attributes = {}): AnElement {
  return element('git', { url, ...attributes })
}

export function dependency(pipelineName: string, stageName = 'build'): AnElement {
  return element('pipeline', { pipelineName, stageName })
}

export function exec(command: string, ...args: readonly string[]): AnElement {
  const children = args.map((arg) => element('arg', {}, [arg]))
  return element('exec', { command }, children)
}

function groupElement({ group, authorization, pipelines = [] }: AGroup): AnElement {
  const children = [...(authorization ? [authorization] : []), ...pipelines.map(pipelineElement)]
  return element('pipelines', { group }, children)
}

function pipelineElement(given: APipeline): AnElement {
  const {
    name = 'p',
    template,
    attributes,
    timer,
    materials = [git('https://example.com/a')],
  } = given
  const stages = given.stages ?? (template === undefined ? [{}] : [])
  return element('pipeline', { name, template, ...attributes }, [
    ...named('params', 'param', given.params, (value) => [value]),
    ...(given.before ?? []),
    ...(timer === undefined ? [] : [element('timer', {}, [timer])]),
    ...variablesElement(given.variables),
    element('materials', {}, materials),
    ...stages.map(stageElement),
  ])
}

function templateElement({ name = 't', stages = [{}] }: ATemplate): AnElement {
  return element('pipeline', { name }, stages.map(stageElement))
}

function stageElement({ name = 'build', attributes, approval, ...given }: AStage): AnElement {
  const { variables, jobs = [{}] } = given
  return element('stage', { name, ...attributes }, [
    ...(approval ? [approval] : []),
    ...variablesElement(variables),
    element('jobs', {}, jobs.map(jobElement)),
  ])
}

function jobElement({ name = 'unit', attributes, variables, ...given }: AJob): AnElement {
  const resources = given.resources?.map((resource) => element('resource', {}, [resource]))
  return element('job', { name, ...attributes }, [
    ...variablesElement(variables),
    ...listed('tasks', given.tasks),
    ...listed('tabs', given.tabs),
    ...listed('resources', resources),
    ...listed('artifacts', given.artifacts),
    ...listed('properties', given.properties),
  ])
}

function environmentElement({
  name = 'e',
  variables,
  agents,
  pipelines,
}: AnEnvironment): AnElement {
  return element('environment', { name }, [
    ...variablesElement(variables),
    ...listed(
      'agents',
      agents?.map((uuid) => element('physical', { uuid })),
    ),
    ...listed(
      'pipelines',
      pipelines?.map((pipeline) => element('pipeline', { name: pipeline })),
    ),
  ])
}

function agentElement(given: AnAgent): AnElement {
  const { uuid = 'a1', hostname = 'box', ipaddress = '127.0.0.1', isDisabled } = given
  const resources = given.resources?.map((resource) => element('resource', {}, [resource]))
  return element('agent', { hostname, ipaddress, uuid, isDisabled }, listed('resources', resources))
}

function variablesElement(variables: Readonly<Record<string, string>> | undefined): AnElement[] {
  return named('environmentvariables', 'variable', variables, (value) => [
    element('value', {}, [value]),
  ])
}

function named(
  list: string,
  item: string,
  given: Readonly<Record<string, string>> | undefined,
  content: (value: string) => (AnElement | string)[],
): AnElement[] {
  if (!given) return []
  const items = Object.entries(given).map(([name, value]) =>
    element(item, { name }, content(value)),
  )
  return [element(list, {}, items)]
}

function listed(name: string, children: readonly AnElement[] | undefined): AnElement[] {
  return children ? [element(name, {}, children)] : []
}

function render({ name, attributes = {}, children = [] }: AnElement, indent: string): string {
  const pairs = Object.entries(attributes).filter(([, value]) => value !== undefined)
  const tag = [name, ...pairs.map(([key, value]) => `${key}="${escape(String(value))}"`)].join(' ')
  if (children.length === 0) return `${indent}<${tag} />`
  if (children.every((child) => typeof child === 'string')) {
    return `${indent}<${tag}>${escape(children.join(''))}</${name}>`
  }
  const inner = children.map((child) =>
    typeof child === 'string' ? `${indent}  ${escape(child)}` : render(child, `${indent}  `),
  )
  return `${indent}<${tag}>\n${inner.join('\n')}\n${indent}</${name}>`
}

function escape(text: string): string {
  return text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
}
