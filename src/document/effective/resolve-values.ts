import type { Grantee, Variable } from '../model/model.ts'
import type { ParamResolver } from './params.ts'

/** A secure value is a secret, and secrets take no params. */
export function resolveVariables(
  variables: readonly Variable[],
  params: ParamResolver,
): readonly Variable[] {
  return variables.map((variable) => ({
    ...variable,
    name: params.resolve(variable.name, variable.at),
    value: variable.secure ? variable.value : params.resolveOptional(variable.value, variable.at),
  }))
}

export function resolvePrincipals(
  principals: readonly Grantee[],
  params: ParamResolver,
): readonly Grantee[] {
  return principals.map((principal) => ({
    ...principal,
    name: params.resolve(principal.name, principal.at),
  }))
}
