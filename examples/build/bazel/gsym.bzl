# SPDX-License-Identifier: MIT
"""Symbols with Bazel: gsym_symbols(name = "prog.gsym", binary = ":prog")."""

def _gsym_symbols_impl(ctx):
    binary = ctx.executable.binary
    symbols = ctx.actions.declare_file(ctx.label.name)
    arguments = ctx.actions.args()
    arguments.add("--quiet")

    # Bazel compiles in /proc/self/cwd: paths become those of the workspace.
    arguments.add("--path-prefix-map=auto")
    arguments.add_all(ctx.attr.options)
    arguments.add("-o", symbols)
    arguments.add(binary)
    ctx.actions.run(
        outputs = [symbols],
        # A .dwp file, or what else has the debug info.
        inputs = [binary] + ctx.files.debug_files,
        executable = "gsym-create",
        arguments = [arguments],
        mnemonic = "GsymCreate",
        progress_message = "Making symbols of %s" % binary.short_path,
        # gsym-create is looked for in the PATH of actions (--action_env=PATH).
        use_default_shell_env = True,
    )
    return [DefaultInfo(files = depset([symbols]))]

gsym_symbols = rule(
    implementation = _gsym_symbols_impl,
    doc = "Makes the GSYM file NAME of an executable.",
    attrs = {
        "binary": attr.label(
            mandatory = True,
            executable = True,
            cfg = "target",
            doc = "What to make symbols of.",
        ),
        "debug_files": attr.label_list(
            allow_files = True,
            doc = "Further files with debug info, such as :prog.dwp.",
        ),
        "options": attr.string_list(
            default = ["--require=debug-info"],
            doc = "Options of gsym-create.",
        ),
    },
)
