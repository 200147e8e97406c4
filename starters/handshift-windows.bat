@echo off
rem Double-click to open the handshift workbench. Untried: no Windows machine was at hand when this was written.
rem The first start installs it into %LOCALAPPDATA%\handshift-app and needs the package registry.
setlocal
set "home=%LOCALAPPDATA%\handshift-app"
py -3 -c "import sys; sys.exit(sys.version_info < (3, 11))" >nul 2>&1
if errorlevel 1 (
    echo Python 3.11 or later is needed: install it from python.org.
    pause
    exit /b 1
)
if exist "%home%\Scripts\handshift.exe" goto start
echo Installing handshift into %home% (once, a minute or two) ...
py -3 -m venv "%home%"
if errorlevel 1 goto failed
set "what=handshift"
for %%f in ("%~dp0handshift-*.whl") do set "what=%%~ff"
"%home%\Scripts\pip.exe" install --quiet "%what%[web,report]"
if errorlevel 1 goto failed
:start
"%home%\Scripts\handshift.exe" serve
exit /b %errorlevel%
:failed
echo The installation failed; check the network and try again.
rmdir /s /q "%home%"
pause
exit /b 1
