//! Which system calls a confined program may not make, by seccomp: those that reach into other processes, into the kernel's
//! rarely used parts, or around what Landlock holds.
//!
//! A denied call fails as if it were not permitted (`EPERM`); `clone3` and `openat2`, whose flags a filter cannot read, as if
//! they did not exist, so that everybody falls back to `clone` and `openat`. Calls of another architecture end the process.
//! It must be the last step.

use std::collections::BTreeMap;

use landlock::ABI;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen::Dword, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch, apply_filter,
};

use super::error::ConfineError;
use crate::confinement::{Confinement, ConfinementLevel, NetworkAccess};

/// Denied whatever their arguments.
const DENIED: &[libc::c_long] = &[
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    // Keys that belong to the user, not to the process.
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    // Work that the kernel does past this filter, and its largest doors.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    // Another view of the system.
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_by_handle_at,
    // The machine.
    libc::SYS_acct,
    libc::SYS_delete_module,
    libc::SYS_finit_module,
    libc::SYS_init_module,
    libc::SYS_kexec_load,
    libc::SYS_quotactl,
    libc::SYS_reboot,
    libc::SYS_swapoff,
    libc::SYS_swapon,
    libc::SYS_syslog,
];
/// Denied for any process but the calling one, which is 0 in this argument.
const DENIED_FOR_OTHERS: &[(libc::c_long, u8)] = &[
    (libc::SYS_prlimit64, 0),
    (libc::SYS_setpriority, 1),
    (libc::SYS_ioprio_set, 1),
    (libc::SYS_sched_setscheduler, 0),
    (libc::SYS_sched_setparam, 0),
    (libc::SYS_sched_setattr, 0),
];
/// Flags of `clone` that make namespaces.
const NAMESPACES: &[libc::c_int] = &[
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWUTS,
];
/// Rights of a file by which whoever runs it acts as the file's user or group. On a disk they stay when the process is gone.
const SET_ID: &[libc::mode_t] = &[libc::S_ISUID, libc::S_ISGID];
/// Calls that set the rights of a file, each with the argument in which they are.
const MODE_CALLS: &[(libc::c_long, u8)] = &[
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_creat, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mknod, 1),
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (FCHMODAT2, 2),
    (libc::SYS_mknodat, 2),
];
/// Calls that set them only where their flags make a file: the arguments of the flags and of the rights.
const OPEN_CALLS: &[(libc::c_long, u8, u8)] = &[
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, 1, 2),
    (libc::SYS_openat, 2, 3),
];
/// Flags of an open that make a file.
const MAKES_FILE: &[libc::c_int] = &[libc::O_CREAT, libc::O_TMPFILE];
/// The same number on all architectures; not all of them have it in the library.
const FCHMODAT2: libc::c_long = 452;
/// Input that would look as if a person had typed it.
const TERMINAL_REQUESTS: &[u64] = &[0x5412, 0x541c];
/// The kind of a socket without its flags.
const SOCKET_KIND: u64 = 0xf;
/// On x86-64, the same calls by the numbers of x32, which a filter sees as others.
#[cfg(target_arch = "x86_64")]
const X32: i64 = 0x4000_0000;
/// Numbers that mean x32's own calls even without that bit on old kernels.
#[cfg(target_arch = "x86_64")]
const X32_OWN: std::ops::RangeInclusive<i64> = 512..=547;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Holds this thread, and everything that it will start, to the filter. `abi` is the version of Landlock in force.
pub(super) fn restrict(confinement: &Confinement, abi: ABI) -> Result<(), ConfineError> {
    let step = "filter system calls (seccomp)";
    let mut missing =
        Rules::from([(libc::SYS_clone3, Vec::new()), (libc::SYS_openat2, Vec::new())]);
    deny_other_numbers(&mut missing);
    let programs = [
        program(missing, libc::ENOSYS),
        rules(confinement, abi).and_then(|rules| program(rules, libc::EPERM)),
    ];
    for program in programs {
        let program = program.map_err(ConfineError::at(step))?;
        apply_filter(&program).map_err(ConfineError::at(step))?;
    }
    Ok(())
}

fn program(rules: Rules, errno: libc::c_int) -> Result<BpfProgram, seccompiler::BackendError> {
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    let denied = SeccompAction::Errno(errno.unsigned_abs());
    SeccompFilter::new(rules, SeccompAction::Allow, denied, arch)?.try_into()
}

fn rules(confinement: &Confinement, abi: ABI) -> Result<Rules, seccompiler::BackendError> {
    let mut rules: Rules = DENIED.iter().map(|number| (*number, Vec::new())).collect();
    for &(number, argument) in DENIED_FOR_OTHERS {
        rules.insert(number, vec![rule(&[(argument, SeccompCmpOp::Ne, 0)])?]);
    }
    let flags = NAMESPACES.iter().map(|flag| u64::from(flag.unsigned_abs()));
    let clone = flags.map(|flag| rule(&[(0, SeccompCmpOp::MaskedEq(flag), flag)]));
    rules.insert(libc::SYS_clone, clone.collect::<Result<_, _>>()?);
    let ioctl = TERMINAL_REQUESTS.iter().map(|request| rule(&[(1, SeccompCmpOp::Eq, *request)]));
    rules.insert(libc::SYS_ioctl, ioctl.collect::<Result<_, _>>()?);
    rules.insert(libc::SYS_socket, sockets(confinement, abi)?);
    rules.insert(libc::SYS_socketpair, socket_pairs()?);
    rules.extend(rights_of_others()?);
    deny_other_numbers(&mut rules);
    Ok(rules)
}

/// Denies the calls of a filter by their other numbers too, and those that mean other calls by numbers of their own.
#[cfg(target_arch = "x86_64")]
fn deny_other_numbers(rules: &mut Rules) {
    let others: Vec<i64> = rules.keys().map(|number| number | X32).collect();
    rules.extend(others.into_iter().map(|number| (number, Vec::new())));
    rules.extend(X32_OWN.map(|number| (number, Vec::new())));
    rules.extend(X32_OWN.map(|number| (number | X32, Vec::new())));
}

#[cfg(not(target_arch = "x86_64"))]
const fn deny_other_numbers(_: &mut Rules) {}

/// Calls that give a file the rights of its user or group to whoever runs it.
fn rights_of_others() -> Result<Rules, seccompiler::BackendError> {
    let masked = |argument: u8, bits: u64| (argument, SeccompCmpOp::MaskedEq(bits), bits);
    let rights = || SET_ID.iter().map(|bit| u64::from(*bit));
    let mut rules = Rules::new();
    for &(number, mode) in MODE_CALLS {
        let set = rights().map(|bit| rule(&[masked(mode, bit)]));
        rules.insert(number, set.collect::<Result<_, _>>()?);
    }
    for &(number, flags, mode) in OPEN_CALLS {
        let mut set = Vec::new();
        for flag in MAKES_FILE.iter().map(|flag| u64::from(flag.unsigned_abs())) {
            for bit in rights() {
                set.push(rule(&[masked(flags, flag), masked(mode, bit)])?);
            }
        }
        rules.insert(number, set);
    }
    Ok(rules)
}

/// Sockets that may not be made: families besides the four in use, raw ones, and by what the confinement says.
fn sockets(
    confinement: &Confinement,
    abi: ABI,
) -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    let [unix, inet, inet6, netlink] =
        [libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK]
            .map(|family| u64::from(family.unsigned_abs()));
    let ne = |family| (0, SeccompCmpOp::Ne, family);
    let raw = u64::from(libc::SOCK_RAW.unsigned_abs());
    let mut rules = vec![
        rule(&[ne(unix), ne(inet), ne(inet6), ne(netlink)])?,
        rule(&[ne(netlink), (1, SeccompCmpOp::MaskedEq(SOCKET_KIND), raw)])?,
        // Of netlink, the routes alone.
        rule(&[(0, SeccompCmpOp::Eq, netlink), ne_at(2, 0)])?,
    ];
    if !reaches_no_foreign_unix_socket(confinement.level, abi) {
        rules.push(rule(&[(0, SeccompCmpOp::Eq, unix)])?);
    }
    if confinement.network == NetworkAccess::None {
        rules.push(rule(&[(0, SeccompCmpOp::Eq, inet)])?);
        rules.push(rule(&[(0, SeccompCmpOp::Eq, inet6)])?);
    }
    Ok(rules)
}

/// Whether something else than this filter keeps a program from the Unix sockets of others: the kernel by path (version 9),
/// or, at level 2, that their folders are not there, and abstract ones by scope (version 6).
fn reaches_no_foreign_unix_socket(level: ConfinementLevel, abi: ABI) -> bool {
    match level {
        ConfinementLevel::Restricted => abi >= ABI::V9,
        ConfinementLevel::Isolated => abi >= ABI::V6,
    }
}

/// A pair of datagram sockets could be turned to anybody else's; the other kinds cannot.
fn socket_pairs() -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    let datagram = u64::from(libc::SOCK_DGRAM.unsigned_abs());
    Ok(vec![rule(&[(1, SeccompCmpOp::MaskedEq(SOCKET_KIND), datagram)])?])
}

fn ne_at(argument: u8, value: u64) -> (u8, SeccompCmpOp, u64) {
    (argument, SeccompCmpOp::Ne, value)
}

/// A rule that denies where all conditions hold.
fn rule(conditions: &[(u8, SeccompCmpOp, u64)]) -> Result<SeccompRule, seccompiler::BackendError> {
    let conditions = conditions
        .iter()
        .map(|(argument, op, value)| SeccompCondition::new(*argument, Dword, op.clone(), *value));
    SeccompRule::new(conditions.collect::<Result<_, _>>()?)
}
