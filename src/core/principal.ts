import { z } from 'zod'

/** What a token lets its holder do at most, from least to most. */
export const TokenScope = z.enum(['read', 'operate', 'admin'])
export type TokenScope = z.infer<typeof TokenScope>

/** What a caller is known by, where that is no password. */
export type IssuedCredential =
  | { readonly kind: 'token'; readonly id: string; readonly scope: TokenScope }
  | { readonly kind: 'session'; readonly id: string }

/** The caller: a user of the users file. */
export interface Principal {
  readonly username: string
  /** Absent for name and password. */
  readonly credential?: IssuedCredential
}

/** Whether a credential that is good for `scope` is good for what needs `needed`. */
export function isScopeEnough(needed: TokenScope, scope: TokenScope): boolean {
  return TokenScope.options.indexOf(needed) <= TokenScope.options.indexOf(scope)
}
