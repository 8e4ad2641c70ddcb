/** One entry of a list of those who may do something. */
export interface ListedPrincipal {
  readonly kind: 'user' | 'role'
  readonly name: string
}

export interface StageFacts {
  readonly name: string
  /** Who may run the stage; empty where its approval has no list of its own. */
  readonly approvers: readonly ListedPrincipal[]
}

/** A pipeline with the stages it has after its template, if any, is put in. */
export interface PipelineFacts {
  readonly name: string
  readonly stages: readonly StageFacts[]
}

export interface GroupFacts {
  readonly name: string
  /** Null for a group without `<authorization>`, a list for each of its parts that is there. */
  readonly authorization: {
    readonly view: readonly ListedPrincipal[] | null
    readonly operate: readonly ListedPrincipal[] | null
    readonly admins: readonly ListedPrincipal[] | null
  } | null
  readonly pipelines: readonly PipelineFacts[]
}

/** What the configuration says about who may do what. */
export interface SecurityFacts {
  /** Whether the configuration says anything of who may do what. */
  readonly securityOn: boolean
  readonly roles: readonly {
    readonly name: string
    readonly users: readonly { readonly name: string }[]
  }[]
  readonly admins: readonly ListedPrincipal[]
  readonly groups: readonly GroupFacts[]
}
