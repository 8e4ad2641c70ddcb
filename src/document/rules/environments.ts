import { isIP } from 'node:net'
import { nameKey } from '../../core/name-key.ts'
import { quoting } from '../text/shown-text.ts'
import { type Finding, repeatsInOtherCase } from '../model/finding.ts'
import { hasResourceCharacters, unusable } from './jobs.ts'
import { isProfileResource } from '../unsupported/elastic-resource.ts'
import type { RuleContext } from './rule-context.ts'

/** EVT-1: environment names differ by more than their case. */
export function* environmentNames({ written }: RuleContext): Generator<Finding> {
  for (const { item, first } of repeatsInOtherCase(written.environments)) {
    const message = quoting`the environment ${item.name} is already defined as ${first.name}`
    yield { at: item.at, message }
  }
}

/** EVT-1: a pipeline is in one environment at most. */
export function* pipelineOnce({ written: { environments } }: RuleContext): Generator<Finding> {
  const members = environments.flatMap(({ pipelines }) => pipelines)
  for (const { item } of repeatsInOtherCase(members)) {
    yield { at: item.at, message: quoting`the pipeline ${item.name} is already in an environment` }
  }
}

/** EVT-1: agents of an environment exist, written as they are. */
export function* environmentAgents({ written }: RuleContext): Generator<Finding> {
  const uuids = new Set(written.agents.map(({ uuid }) => uuid))
  for (const { name, agents } of written.environments) {
    for (const { at, uuid } of agents) {
      if (uuids.has(uuid)) continue
      const message = quoting`the environment ${name} names the agent ${uuid}, which does not exist`
      yield { at, message }
    }
  }
}

/** EVT-1: pipelines of an environment exist, whatever the case. */
export function* environmentPipelines(context: RuleContext): Generator<Finding> {
  for (const { name, pipelines } of context.written.environments) {
    for (const pipeline of pipelines) {
      if (context.pipelinesByName.has(nameKey(pipeline.name))) continue
      const message = quoting`the environment ${name} names the pipeline ${pipeline.name}, which does not exist`
      yield { at: pipeline.at, message }
    }
  }
}

/**
 * AGT-1: an agent has an address. Host names are refused, because whether one
 * is an address depends on who asks; only `localhost` is the same everywhere.
 */
export function* agentAddresses({ written: { agents } }: RuleContext): Generator<Finding> {
  for (const { at, hostname, ipaddress } of agents) {
    if (isIP(ipaddress) !== 0 || ipaddress === 'localhost') continue
    const message = quoting`the address ${ipaddress} of the agent ${hostname} is not an IP address`
    yield { at, message }
  }
}

/** JOB-4 for the resources of agents, which may be elastic profiles, too. */
export function* agentResources({ written: { agents } }: RuleContext): Generator<Finding> {
  for (const { at, name } of agents.flatMap(({ resources }) => resources)) {
    if (isProfileResource(name)) continue
    if (!hasResourceCharacters(name)) yield { at, message: unusable(name) }
  }
}
