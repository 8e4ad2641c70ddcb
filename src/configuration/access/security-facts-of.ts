import { expandConfiguration } from '../../document/effective/effective.ts'
import type {
  At,
  Configuration,
  Grantee,
  Pipeline,
  PipelineGroup,
} from '../../document/model/model.ts'
import { runSync } from '../../lib/cooperative.ts'
import { memoize } from '../../lib/memoize.ts'
import type {
  GroupFacts,
  ListedPrincipal,
  PipelineFacts,
  SecurityFacts,
} from '../../security/security-facts.ts'

/** The facts about permissions in a configuration. */
export function securityFactsOf(configuration: Configuration): SecurityFacts {
  return factsOf(configuration, ({ name, authorization, pipelines }) => {
    let listed: readonly PipelineFacts[] | null = null
    return {
      name,
      authorization,
      /** Listed when they are first asked for: of administrators they are not. */
      get pipelines() {
        return (listed ??= pipelines.map(pipelineFactsOf))
      },
    }
  })
}

/** The same with the line of each group and entry. */
export function placedSecurityFacts(
  configuration: Configuration,
  lineOf: (at: At) => number,
): SecurityFacts {
  const placed = ({ at, kind, name }: Grantee) => ({ kind, name, line: lineOf(at) })
  const facts = factsOf(configuration, ({ at, name, authorization, pipelines }) => ({
    name,
    line: lineOf(at),
    authorization: authorization && {
      view: authorization.view?.map(placed) ?? null,
      operate: authorization.operate?.map(placed) ?? null,
      admins: authorization.admins?.map(placed) ?? null,
    },
    pipelines: pipelines.map((pipeline) => factsOfPipeline(pipeline, placed)),
  }))
  return { ...facts, admins: adminsOf(configuration).map(placed) }
}

function factsOf(
  configuration: Configuration,
  groupFacts: (group: PipelineGroup) => GroupFacts,
): SecurityFacts {
  const { groups } = runSync(expandConfiguration(configuration)).configuration
  return {
    securityOn: isSecured(configuration),
    roles: configuration.server?.security?.roles ?? [],
    admins: adminsOf(configuration),
    groups: groups.map(groupFacts),
    templates: configuration.templates.map(({ name, authorization }) => ({
      name,
      admins: authorization?.admins ?? [],
      viewers: authorization?.view ?? [],
      isOpenToGroupAdmins: authorization?.allGroupAdminsAreViewers ?? false,
    })),
  }
}

function adminsOf({ server }: Configuration): readonly Grantee[] {
  return server?.security?.admins ?? []
}

/** The users file always exists, so security can be on without another source of users. */
function isSecured({ server, groups }: Configuration): boolean {
  const security = server?.security
  const { admins = [], roles = [], authConfigs = [] } = security ?? {}
  const hasSource = (security?.ldap ?? security?.passwordFile ?? null) !== null
  const lists = [admins, roles, authConfigs].some((list) => list.length > 0)
  return lists || hasSource || groups.some(({ authorization }) => authorization !== null)
}

const pipelineFactsOf = memoize((pipeline: Pipeline) => factsOfPipeline(pipeline, (entry) => entry))

function factsOfPipeline({ name, stages }: Pipeline, entryOf: (entry: Grantee) => ListedPrincipal) {
  return {
    name,
    stages: stages.map((stage) => ({
      name: stage.name,
      approvers: (stage.approval?.approvers ?? []).map(entryOf),
    })),
  }
}
