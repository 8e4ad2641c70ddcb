/** Why a job cannot be given to any agent, in words for its console. */
export class AssignmentRefusal extends Error {}
